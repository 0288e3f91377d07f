import type { ComponentProps } from 'react';
import styles from './controls.module.css';

interface ButtonProps extends ComponentProps<'button'> {
  /** The one action that a page or dialog is for. */
  isMain?: boolean;
}

export const Button = ({ isMain = false, className = '', ...rest }: ButtonProps) => (
  <button type="button" className={`${styles['button']} ${isMain ? styles['main'] : ''} ${className}`} {...rest} />
);

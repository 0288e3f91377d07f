import type { ReactNode } from 'react';
import styles from './controls.module.css';

interface EmptyProps {
  /** That there is nothing, and when there will be something. */
  says: string;
  /** What leads on. */
  children?: ReactNode;
}

/** Stands where a list would be. */
export const Empty = ({ says, children }: EmptyProps) => (
  <div className={styles['empty']}>
    <p>{says}</p>
    {children}
  </div>
);

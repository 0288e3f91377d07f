import type { ReactNode } from 'react';
import styles from './controls.module.css';

/** The buttons that turn the pages of a list. */
export const Pager = ({ children }: { children: ReactNode }) => <div className={styles['pager']}>{children}</div>;

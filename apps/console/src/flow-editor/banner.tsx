import type { ReactNode } from 'react';
import { ExactText } from '../controls/exact-text';
import styles from './flow-editor.module.css';

interface BannerProps {
  title: string;
  lines: readonly string[];
  children: ReactNode;
}

/** Says above the flow what is the matter, with what can be done about it. */
export const Banner = ({ title, lines, children }: BannerProps) => (
  <div role="alert" className={styles['banner']}>
    <b>
      <ExactText text={title} />
    </b>
    {lines.map((line) => (
      <p key={line}>{line}</p>
    ))}
    <div className={styles['bannerActions']}>{children}</div>
  </div>
);

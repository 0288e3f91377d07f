import styles from './controls.module.css';

export type Tone = 'good' | 'bad' | 'runs' | 'waits' | 'idle';

const SIGNS: Record<Tone, string> = { good: '✓', bad: '✕', runs: '▸', waits: '◷', idle: '○' };

/** A state by sign, word and colour, so that none of them is needed alone. */
export const Status = ({ tone, word }: { tone: Tone; word: string }) => (
  <span className={`${styles['status']} ${styles[tone]}`}>
    <span aria-hidden="true">{SIGNS[tone]}</span>
    {word}
  </span>
);

import styles from './controls.module.css';

export type Tone = 'good' | 'bad' | 'runs' | 'waits' | 'idle';

const SIGNS: Record<Tone, string> = { good: '✓', bad: '✕', runs: '▸', waits: '◷', idle: '○' };

interface StatusProps {
  tone: Tone;
  word: string;
  /** Leaves the word to screen readers and to the pointer, where there is no room for it. */
  isWordHidden?: boolean;
}

/** A state by sign, word and colour, so that none of them is needed alone. */
export const Status = ({ tone, word, isWordHidden = false }: StatusProps) => (
  <span className={`${styles['status']} ${styles[tone]}`} title={isWordHidden ? word : undefined}>
    <span aria-hidden="true">{SIGNS[tone]}</span>
    <span className={isWordHidden ? styles['hidden'] : undefined}>{word}</span>
  </span>
);

import {
  CodeIcon,
  ExclamationTriangleIcon,
  LightningBoltIcon,
  LoopIcon,
  RocketIcon,
  ShuffleIcon,
} from '@radix-ui/react-icons';
import { memo } from 'react';
import { ExactText } from '../controls/exact-text';
import { Status, type Tone } from '../controls/status';
import styles from './flow-picture.module.css';
import type { Step } from './step';
import { words } from './words';

const ICONS = {
  EMPTY: RocketIcon,
  PIECE_TRIGGER: RocketIcon,
  PIECE: LightningBoltIcon,
  CODE: CodeIcon,
  LOOP_ON_ITEMS: LoopIcon,
  ROUTER: ShuffleIcon,
};

export function StepIcon({ type }: { type: Step['type'] }) {
  const Icon = ICONS[type];
  return <Icon aria-hidden className={styles['icon']} />;
}

interface StepCardProps {
  name: string;
  displayName: string;
  type: Step['type'];
  kind: string;
  isValid: boolean;
  isSkipped: boolean;
  isSelected: boolean;
  markTone: Tone | undefined;
  markWord: string | undefined;
  onSelect: (name: string) => void;
}

/** A step on the canvas. Its properties are plain values, so that a card whose step stays as it was is not drawn again. */
export const StepCard = memo(function StepCard(props: StepCardProps) {
  const { name, displayName, type, kind, isValid, isSkipped, isSelected, markTone, markWord, onSelect } = props;
  return (
    <button
      type="button"
      className={styles['card']}
      data-step={name}
      data-skipped={isSkipped || undefined}
      aria-pressed={isSelected}
      onClick={() => onSelect(name)}
    >
      <StepIcon type={type} />
      <span className={styles['text']}>
        <span className={styles['name']}>
          <ExactText text={displayName} />
        </span>{' '}
        <span className={styles['kind']}>{isSkipped ? `${kind} · ${words.skipped}` : kind}</span>
      </span>{' '}
      {!isValid && <ExclamationTriangleIcon className={styles['problem']} role="img" aria-label={words.hasProblem} />}
      {markTone && markWord !== undefined && (
        <span className={styles['mark']}>
          <Status tone={markTone} word={markWord} />
        </span>
      )}
    </button>
  );
});

import {
  CodeIcon,
  ExclamationTriangleIcon,
  LightningBoltIcon,
  LoopIcon,
  RocketIcon,
  ShuffleIcon,
} from '@radix-ui/react-icons';
import { memo, type MouseEvent, type PointerEvent, type Ref } from 'react';
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
  ref: Ref<HTMLButtonElement>;
  name: string;
  displayName: string;
  type: Step['type'];
  kind: string;
  isValid: boolean;
  isSkipped: boolean;
  isSelected: boolean;
  isMarked: boolean;
  isInTabOrder: boolean;
  /** Whether it can be dragged elsewhere. */
  isMovable: boolean;
  markTone: Tone | undefined;
  markWord: string | undefined;
  events: CardEvents;
}

/** What cards do. They stay the same functions, so that cards are not drawn again for them. */
export interface CardEvents {
  onClick: (event: MouseEvent, name: string) => void;
  onFocus: (name: string) => void;
  onContextMenu: (event: MouseEvent, name: string) => void;
  onPointerDown: (event: PointerEvent, name: string) => void;
}

/** A step on the canvas. Its properties are plain values, so that a card whose step stays as it was is not drawn again. */
export const StepCard = memo(function StepCard(props: StepCardProps) {
  const { name, displayName, type, kind, isValid, isSkipped, isSelected, markTone, markWord, events } = props;
  return (
    <button
      ref={props.ref}
      type="button"
      className={`${props.isMovable ? 'nopan' : ''} ${styles['card']}`}
      data-step={name}
      data-skipped={isSkipped || undefined}
      data-marked={props.isMarked || undefined}
      aria-pressed={isSelected}
      tabIndex={props.isInTabOrder ? 0 : -1}
      onClick={(event) => events.onClick(event, name)}
      onFocus={() => events.onFocus(name)}
      onContextMenu={(event) => events.onContextMenu(event, name)}
      onPointerDown={(event) => events.onPointerDown(event, name)}
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

import { PlusIcon } from '@radix-ui/react-icons';
import type { Node, NodeProps } from '@xyflow/react';
import { memo } from 'react';
import { Status } from '../controls/status';
import { ExactText } from '../controls/exact-text';
import styles from './flow-picture.module.css';
import { CARD, GATE, type Gate, type Layout } from './layout';
import { branchKey, usePicture } from './picture-context';
import { StepCard } from './step-card';
import type { Step } from './step';
import { words } from './words';

type StepNode = Node<{ step: Step }, 'step'>;
type GateNode = Node<{ gate: Gate }, 'gate'>;

/** What the library places and leaves out while it is not seen. */
export const nodesOf = ({ steps, gates }: Layout): (StepNode | GateNode)[] => [
  ...steps.map(({ step, x, y }): StepNode => ({
    id: step.name,
    type: 'step',
    position: { x, y },
    data: { step },
    ...CARD,
  })),
  ...gates.map((gate): GateNode => ({
    id: Object.values(gate.place).join('/'),
    type: 'gate',
    position: { x: gate.x, y: gate.y },
    data: { gate },
    width: GATE.width,
    height: gate.height,
  })),
];

export const CANVAS_NODES = { step: memo(StepOnCanvas), gate: memo(GateOnCanvas) };

function StepOnCanvas({ data: { step } }: NodeProps<StepNode>) {
  const { selected, onSelect, marks } = usePicture();
  const mark = marks?.get(step.name);
  return (
    <StepCard
      name={step.name}
      displayName={step.displayName}
      type={step.type}
      kind={words.kindOf(step)}
      isValid={step.valid}
      isSkipped={step.skip ?? false}
      isSelected={selected === step.name}
      markTone={mark?.tone}
      markWord={mark?.word}
      onSelect={onSelect}
    />
  );
}

/** A line between steps, on which the name of a branch stands and a step can be added. */
function GateOnCanvas({ data: { gate } }: NodeProps<GateNode>) {
  const { onAdd, branches } = usePicture();
  const { place, after, branchName } = gate;
  const isInside = place.stepLocationRelativeToParent !== 'AFTER';
  const mark =
    place.branchIndex === undefined ? undefined : branches?.get(branchKey(place.parentStep, place.branchIndex));
  const label = isInside ? words.addStepIn(after) : words.addStepAfter(after);
  return (
    <div className={styles['gate']}>
      {isInside && (
        <span className={styles['branch']}>
          <ExactText text={branchName ?? words.eachItem} /> {mark && <Status {...mark} isWordHidden />}
        </span>
      )}
      {onAdd && (
        <button
          type="button"
          className={`nopan ${styles['add']}`}
          aria-label={label}
          title={label}
          onClick={() => onAdd(place, after)}
        >
          <PlusIcon aria-hidden />
        </button>
      )}
    </div>
  );
}

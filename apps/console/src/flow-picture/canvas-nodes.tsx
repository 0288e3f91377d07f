import { PlusIcon } from '@radix-ui/react-icons';
import type { Node, NodeProps } from '@xyflow/react';
import { memo, useRef } from 'react';
import { NoteOnCanvas } from './canvas-note';
import { ExactText } from '../controls/exact-text';
import { Status } from '../controls/status';
import { useCanvas } from './canvas-context';
import { placeIdOf } from './drop-places';
import styles from './flow-picture.module.css';
import { CARD, GATE, type Gate, type Layout, type PlacedStep } from './layout';
import { noteBox } from './note-box';
import { usePicture, type PictureNote } from './picture-context';
import { stepOfRow } from './picture-state';
import { StepCard } from './step-card';
import { bodyIdOf } from './step';
import { useWishedFocus } from './use-wished-focus';
import { words } from './words';

type StepNode = Node<{ placed: PlacedStep }, 'step'>;
type GateNode = Node<{ gate: Gate }, 'gate'>;
type NoteNode = Node<{ note: PictureNote }, 'note'>;
export type PictureNode = StepNode | GateNode | NoteNode;

/** Lines are our own. The library renders each node once, seen or not, to find where its lines end, unless it is told. */
const NO_LINES = { handles: [] };

/** What the library places and leaves out while it is not seen. */
export const nodesOf = ({ steps, gates }: Layout): PictureNode[] => [
  ...steps.map((placed): StepNode => ({
    id: placed.step.name,
    type: 'step',
    position: { x: placed.x, y: placed.y },
    data: { placed },
    ...CARD,
    ...NO_LINES,
  })),
  ...gates.map((gate): GateNode => ({
    id: placeIdOf(gate.place),
    type: 'gate',
    position: { x: gate.x, y: gate.y },
    data: { gate },
    width: GATE.width,
    height: gate.height,
    ...NO_LINES,
  })),
];

/** Notes lie below the flow, in their order. */
export const nodesOfNotes = (notes: readonly PictureNote[]): PictureNode[] =>
  notes.map((note, index): NoteNode => {
    const { x, y, width, height } = noteBox(note, index);
    return { id: `note/${note.id}`, type: 'note', position: { x, y }, data: { note }, width, height, zIndex: -1 };
  });

export const CANVAS_NODES = { step: memo(StepOnCanvas), gate: memo(GateOnCanvas), note: memo(NoteNodeOnCanvas) };

function StepOnCanvas({ data: { placed } }: NodeProps<StepNode>) {
  const { step, hidden } = placed;
  const { trigger, selected, marks, onMove, state } = usePicture();
  const { cardEvents } = useCanvas();
  const card = useRef<HTMLButtonElement>(null);
  useWishedFocus(card, (id) => stepOfRow(id) === step.name);
  const mark = marks?.get(step.name);
  const kind = words.kindOf(step);
  const canClose = step.type === 'ROUTER' || step.type === 'LOOP_ON_ITEMS';
  return (
    <>
      <StepCard
        ref={card}
        name={step.name}
        displayName={step.displayName}
        type={step.type}
        kind={hidden > 0 ? `${kind} · ${words.stepsInside(hidden)}` : kind}
        isValid={step.valid}
        isSkipped={step.skip ?? false}
        isSelected={selected === step.name}
        isMarked={state.marked.has(step.name)}
        isInTabOrder={stepOfRow(state.current) === step.name}
        isMovable={onMove !== undefined && step !== trigger}
        markTone={mark?.tone}
        markWord={mark?.word}
        events={cardEvents}
      />
      {canClose && <Toggle id={step.name} of={step.displayName} />}
    </>
  );
}

/** Shows or hides what is inside a step or a branch. The keyboard has the outline for it, and a key. */
function Toggle({ id, of }: { id: string; of: string }) {
  const { state } = usePicture();
  const isClosed = state.closed.has(id);
  const label = isClosed ? words.open(of) : words.close(of);
  return (
    <button
      type="button"
      tabIndex={-1}
      className={`nopan ${styles['toggle']}`}
      aria-label={label}
      title={label}
      aria-expanded={!isClosed}
      onClick={() => state.toggle(id)}
    >
      <span aria-hidden="true">{isClosed ? '▸' : '▾'}</span>
    </button>
  );
}

/** A line between steps, on which the name of a branch stands and a step can be put. */
function GateOnCanvas({ data: { gate } }: NodeProps<GateNode>) {
  const { trigger, onAdd, onMenu, branches } = usePicture();
  const { place, after, branchName, hidden } = gate;
  const isInside = place.stepLocationRelativeToParent !== 'AFTER';
  const mark = place.branchIndex === undefined ? undefined : branches?.get(bodyIdOf(place));
  const isFirst = !trigger.nextAction && place.parentStep === trigger.name;
  const label = isInside ? words.addStepIn(after) : words.addStepAfter(after);
  return (
    <div className={styles['gate']} data-place={placeIdOf(place)}>
      {isInside && (
        <span className={styles['branch']}>
          {branchName !== null && <Toggle id={bodyIdOf(place)} of={branchName} />}
          <span className={styles['branchName']}>
            <ExactText text={branchName ?? words.eachItem} />
          </span>
          {mark && <Status {...mark} isWordHidden />}
          {hidden > 0 && ` · ${words.stepsInside(hidden)}`}
        </span>
      )}
      {onAdd && (
        <button
          type="button"
          tabIndex={-1}
          className={`nopan ${styles['add']} ${isFirst ? styles['first'] : ''}`}
          aria-label={label}
          title={label}
          onClick={() => onAdd(place, after)}
          onContextMenu={(event) => {
            event.preventDefault();
            event.stopPropagation();
            onMenu?.({ kind: 'place', place, after }, { x: event.clientX, y: event.clientY });
          }}
        >
          <PlusIcon aria-hidden />
          {isFirst && words.addStep}
        </button>
      )}
    </div>
  );
}

function NoteNodeOnCanvas({ data: { note } }: NodeProps<NoteNode>) {
  return <NoteOnCanvas note={note} />;
}

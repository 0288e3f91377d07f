import type { FlowNote } from './flow-note';
import type { FlowStep, FlowTrigger } from './flow-version';
import { mapSteps } from './map-steps';

// Steps and notes are stored with their members in one order, so that the text of a definition tells nothing of how it
// was edited: who takes an edit back gets the same text as before.

const OF_STEPS = [
  'name',
  'displayName',
  'type',
  'valid',
  'skip',
  'settings',
  'firstLoopAction',
  'children',
  'nextAction',
];
const OF_NOTES = ['id', 'content', 'color', 'position', 'size', 'ownerId', 'createdAt', 'updatedAt'];

export const stepsInOrder = (trigger: FlowTrigger): FlowTrigger =>
  mapSteps(trigger, <S extends FlowStep>(step: S): S => ordered(step, OF_STEPS));

export const notesInOrder = (notes: readonly FlowNote[]): FlowNote[] => notes.map((note) => ordered(note, OF_NOTES));

/** The members of these names in this order, and then the others. */
function ordered<T extends object>(value: T, names: readonly string[]): T {
  const members = Object.entries(value).filter(([name]) => !names.includes(name));
  const known = names.filter((name) => Object.hasOwn(value, name));
  return Object.fromEntries([...known.map((name) => [name, value[name as keyof T]]), ...members]) as T;
}

import type { Step } from '../flow-picture/step';
import type { SavedFlow } from './flow-requests';
import type { NoteRequest } from './operation';
import { stepsOf } from '../flow-picture/step';

/** What a person edits of a flow. */
export interface Definition {
  displayName: string;
  trigger: Step;
  notes: readonly Note[];
}

/** A remark on the canvas, with whatever else the service or another editor keeps of it. */
export type Note = NoteRequest & Readonly<Record<string, unknown>>;

export const definitionOf = ({ flow: { version } }: SavedFlow): Definition => ({
  displayName: version.displayName,
  trigger: version.trigger as Step,
  notes: version.notes as unknown as Note[],
});

/**
 * Two definitions have the same fingerprint when a person has made the same of them: whatever the service computes, and
 * the order of members, make no difference.
 */
export function fingerprintOf({ displayName, trigger, notes }: Definition): string {
  const steps = Array.from(stepsOf(trigger), (step) => [
    step.name,
    step.displayName,
    step.type,
    step.skip ?? null,
    { ...step.settings, sampleData: undefined },
    step.nextAction?.name,
    step.firstLoopAction?.name,
    step.children?.map((child) => child?.name ?? null),
  ]);
  const remarks = notes.map(({ id, content, color, position, size }) => [id, content, color, position, size]);
  return hashOf(JSON.stringify([displayName, steps, remarks], sorted));
}

const sorted = (_key: string, value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
    : value;

/** 53 bits of a text (cyrb53, public domain), and its length. Nobody gains anything by two texts with the same. */
function hashOf(text: string): string {
  let low = 0x5eadbeef;
  let high = 0x41c6ce57;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    low = Math.imul(low ^ unit, 2_654_435_761);
    high = Math.imul(high ^ unit, 1_597_334_677);
  }
  low = Math.imul(low ^ (low >>> 16), 2_246_822_507) ^ Math.imul(high ^ (high >>> 13), 3_266_489_909);
  high = Math.imul(high ^ (high >>> 16), 2_246_822_507) ^ Math.imul(low ^ (low >>> 13), 3_266_489_909);
  return `${text.length}-${(4_294_967_296 * (2_097_151 & high) + (low >>> 0)).toString(36)}`;
}

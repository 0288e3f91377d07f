import { useMemo, useRef, useEffect } from 'react';
import { stepOfRow, type PictureState, type View } from '../flow-picture/picture-state';
import { placeAfter, stepsOf, type Place, type Step } from '../flow-picture/step';
import type { DraftStore } from './draft-store';
import { branchesOf } from './edit-flow';
import type { Operation } from './operation';
import { operationWords } from './operation-words';
import { copiedText, pastedSteps } from './pasted-steps';
import {
  besideRemoved,
  duplicating,
  moving,
  movingDown,
  movingUp,
  pasting,
  placeAtRow,
  removal,
  skipping,
} from './step-commands';
import { findStep, namesOf, outermostSteps } from './step-tree';
import { words } from './words';

interface StepActionsOf {
  store: DraftStore;
  state: PictureState;
  canEdit: boolean;
  /** Says what was done, to who does not see it. */
  say: (what: string) => void;
}

/** What a person does with the steps that have the attention. It stays the same object. */
export function useStepActions(given: StepActionsOf): StepActions {
  const latest = useRef(given);
  useEffect(() => {
    latest.current = given;
  });
  return useMemo(() => new StepActions(() => latest.current), []);
}

export class StepActions {
  constructor(private readonly now: () => StepActionsOf) {}

  /** Makes an edit. Returns whether there was anything to do. */
  readonly edit = (operations: readonly Operation[]): boolean => {
    const { canEdit, say, store } = this.now();
    const [first] = operations;
    if (!first || !canEdit) return false;
    say(operationWords(store.current().shown, first));
    store.dispatch({ kind: 'edit', operations });
    return true;
  };

  readonly remove = (): boolean => {
    const names = this.chosen();
    if (names.size === 0) return this.edit(removalOfBranch(this.trigger, this.now().state.current));
    const beside = besideRemoved(this.trigger, names);
    return this.edit(removal(this.trigger, names)) && this.goTo(beside);
  };

  readonly duplicate = (): boolean => {
    const before = namesOf(this.trigger);
    return this.edit(duplicating(this.trigger, this.chosen())) && this.goTo(this.addedSince(before));
  };

  readonly skip = (): boolean => this.edit(skipping(this.trigger, this.chosen()));

  readonly moveUp = (): boolean => this.moveOne(movingUp);

  readonly moveDown = (): boolean => this.moveOne(movingDown);

  readonly moveTo = (name: string, place: Place): boolean =>
    this.edit(moving(this.trigger, name, place)) && this.goTo(name);

  /** The text of what is chosen; null when nothing is. */
  readonly copied = (): string | null => {
    const text = copiedText(this.trigger, this.chosen());
    if (text !== null) this.now().say(words.copied(this.chosen().size));
    return text;
  };

  /** Puts pasted steps after what is chosen, into the branch with the focus, or where they are told to go. */
  readonly paste = (text: string, place = this.placeBehindChosen()): void => {
    const pasted = pastedSteps(text);
    if ('problem' in pasted) return this.now().say(words.notPasted[pasted.problem]);
    const before = namesOf(this.trigger);
    if (place && this.edit(pasting(this.trigger, place, pasted.first))) this.goTo(this.addedSince(before));
  };

  /** Shows or hides what is inside the step or branch with the focus. */
  readonly fold = (): void => {
    const { current, toggle } = this.now().state;
    const step = findStep(this.trigger, stepOfRow(current));
    if (step?.type === 'ROUTER' || step?.type === 'LOOP_ON_ITEMS') toggle(current);
  };

  private get trigger(): Step {
    return this.now().store.current().shown.trigger;
  }

  /** The steps that keys act on: the marked ones, or the one with the focus. A branch is none. */
  private chosen(): ReadonlySet<string> {
    const { marked, current } = this.now().state;
    const known = namesOf(this.trigger);
    const names = [...marked].filter((name) => known.has(name));
    if (names.length > 0) return new Set(names);
    return new Set(current.includes('/') ? [] : [current]);
  }

  private placeBehindChosen(): Place | undefined {
    const { marked, current } = this.now().state;
    const last = marked.size > 0 ? outermostSteps(this.trigger, this.chosen()).at(-1) : undefined;
    return last ? placeAfter(last) : placeAtRow(this.trigger, current)?.place;
  }

  private addedSince(before: ReadonlySet<string>): string | null {
    return Array.from(stepsOf(this.trigger)).find(({ name }) => !before.has(name))?.name ?? null;
  }

  private moveOne(operations: typeof movingUp): boolean {
    const name = stepOfRow(this.now().state.current);
    return this.edit(operations(this.trigger, name)) && this.goTo(name);
  }

  private goTo(name: string | null): true {
    const { state } = this.now();
    state.mark(new Set());
    if (name !== null) state.goTo(name, viewWithFocus());
    return true;
  }
}

function removalOfBranch(trigger: Step, row: string): Operation[] {
  const [stepName = '', index] = row.split('/');
  const router = findStep(trigger, stepName);
  const branch = router && (branchesOf(router)[Number(index)] as { branchType?: string } | undefined);
  if (branch?.branchType !== 'CONDITION') return [];
  return [{ type: 'DELETE_BRANCH', request: { stepName, branchIndex: Number(index) } }];
}

/** The picture that has the focus; the canvas when neither has. */
export const viewWithFocus = (): View => (document.activeElement?.closest('[role="tree"]') ? 'outline' : 'canvas');

import { useCallback, useMemo, useState } from 'react';
import { parentsOf } from './step-walk';
import { bodyIdOf, bodiesOf, stepsOf, type Step } from './step';

/** The two pictures of a flow, which share where a person is in it. */
export type View = 'canvas' | 'outline';

/** What shall get the focus. Each wish is an object of its own, so that the same can be wished again. */
export interface Wish {
  id: string;
  view: View;
}

/** Where a person is in the picture, and what of it is shown. Rows have the ids of the outline: steps and branches. */
export interface PictureState {
  /** The row that keys act on. */
  current: string;
  /** Further steps that keys act on. */
  marked: ReadonlySet<string>;
  /** The rows whose inside is not shown. */
  closed: ReadonlySet<string>;
  wish: Wish | null;
  /** Gives the focus to a row, which is shown for it. */
  goTo: (id: string, view: View) => void;
  /** Gives the focus to a note on the canvas, once it is there. */
  goToNote: (id: string) => void;
  /** Says that what was wished has the focus. */
  onFulfilled: () => void;
  /** Notes that a row has the focus. */
  onFocus: (id: string) => void;
  mark: (names: ReadonlySet<string>) => void;
  toggle: (id: string) => void;
}

/** The name of the step that a row is, or whose branch it is. */
export const stepOfRow = (id: string): string => id.split('/')[0] ?? id;

/** What a note is called among the rows. No step has such a name. */
export const noteRow = (id: string): string => `/${id}`;

export function usePictureState(trigger: Step, selected: string | null): PictureState {
  const [focused, setFocused] = useState<string | null>(null);
  const [marked, setMarked] = useState<ReadonlySet<string>>(NOTHING);
  const [closed, setClosed] = useState<ReadonlySet<string>>(NOTHING);
  const [wish, setWish] = useState<Wish | null>(null);
  const names = useMemo(() => new Set(Array.from(stepsOf(trigger), ({ name }) => name)), [trigger]);
  const current = [focused, selected].find((id) => id !== null && names.has(stepOfRow(id))) ?? trigger.name;

  const goTo = useCallback(
    (id: string, view: View) => {
      setClosed((before) => withoutAll(before, idsAround(trigger, stepOfRow(id))));
      setFocused(id);
      setWish({ id, view });
    },
    [trigger],
  );
  const goToNote = useCallback((id: string) => setWish({ id: noteRow(id), view: 'canvas' }), []);
  const onFulfilled = useCallback(() => setWish(null), []);
  const toggle = useCallback((id: string) => setClosed((before) => toggled(before, id)), []);
  return useMemo(
    () => ({
      current,
      marked,
      closed,
      wish,
      goTo,
      goToNote,
      onFulfilled,
      onFocus: setFocused,
      mark: setMarked,
      toggle,
    }),
    [current, marked, closed, wish, goTo, goToNote, onFulfilled, toggle],
  );
}

const NOTHING: ReadonlySet<string> = new Set();

/** The rows that hide a step when they are closed. */
export function idsAround(trigger: Step, name: string): Set<string> {
  const ids = new Set<string>();
  let inside = name;
  for (const parent of parentsOf(trigger, name)) {
    const body = bodiesOf(parent).find(({ first }) => Array.from(stepsOf(first)).some((step) => step.name === inside));
    ids.add(parent.name);
    if (body) ids.add(bodyIdOf(body.place));
    inside = parent.name;
  }
  return ids;
}

function withoutAll(before: ReadonlySet<string>, ids: ReadonlySet<string>): ReadonlySet<string> {
  const after = [...before].filter((id) => !ids.has(id));
  return after.length === before.size ? before : new Set(after);
}

export function toggled(before: ReadonlySet<string>, id: string): ReadonlySet<string> {
  const after = new Set(before);
  if (!after.delete(id)) after.add(id);
  return after;
}

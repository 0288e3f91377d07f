import { useSearchParams } from 'react-router';
import { inIteration } from './timeline-rows';

/** What of a run is looked at. All of it is in the address. */
export function useRunAddress() {
  const [search, setSearch] = useSearchParams();
  const set = (changes: Record<string, string | null>, options?: { replace: boolean }) =>
    setSearch((before) => {
      const after = new URLSearchParams(before);
      for (const [name, value] of Object.entries(changes))
        if (value === null) after.delete(name);
        else after.set(name, value);
      return after;
    }, options);
  const step = search.get('step');
  const iteration = search.get('iteration');
  return {
    tab: search.get('tab') ?? 'timeline',
    /** The place of the chosen step, such as `loop[2].tell`. */
    step,
    /** A part of the step: input, output, error or logs. */
    part: search.get('part'),
    /** The places that say which iterations are shown. */
    places: [step, iteration].filter((place) => place !== null),
    chooseTab: (tab: string) => set({ tab: tab === 'timeline' ? null : tab }),
    chooseStep: (path: string | null) => set({ step: path, part: null }),
    showStep: (path: string) => set({ tab: null, step: path, part: null }),
    choosePart: (part: string) => set({ part }),
    chooseIteration: (loop: string, index: number) =>
      set(
        { iteration: `${loop}[${index}]`, step: step && inIteration(step, loop, index) },
        { replace: true }, // going back does not take every digit back
      ),
  };
}

export type RunAddress = ReturnType<typeof useRunAddress>;

import { useCallback } from 'react';
import { useSearchParams } from 'react-router';

/** What of the editor is in the address: the selected step, and the test run that is shown on the canvas. */
export function useEditorAddress() {
  const [search, setSearch] = useSearchParams();
  const set = useCallback(
    (name: string, value: string | null) =>
      setSearch((before) => {
        const after = new URLSearchParams(before);
        if (value === null) after.delete(name);
        else after.set(name, value);
        return after;
      }),
    [setSearch],
  );
  const select = useCallback((name: string | null) => set('step', name), [set]);
  const showTestRun = useCallback((runId: string | null) => set('testRun', runId), [set]);
  return { selected: search.get('step'), select, testRunId: search.get('testRun'), showTestRun };
}

import { useCallback } from 'react';
import { useSearchParams } from 'react-router';
import type { StepTab } from './step-panel';

/** What of the editor is in the address: the selected step with the tab of its panel, and the test run that is shown on the canvas. */
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
  const chooseTab = useCallback((tab: StepTab) => set('tab', tab === 'settings' ? null : tab), [set]);
  const select = useCallback((name: string | null) => set('step', name), [set]);
  const showTestRun = useCallback((runId: string | null) => set('testRun', runId), [set]);
  const tab = (search.get('tab') ?? 'settings') as StepTab;
  return { selected: search.get('step'), select, tab, chooseTab, testRunId: search.get('testRun'), showTestRun };
}

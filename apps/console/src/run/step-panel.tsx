import { useQuery } from '@tanstack/react-query';
import { Button } from '../controls/button';
import { ExactText } from '../controls/exact-text';
import { Problem } from '../controls/problem';
import { Tabs, type Tab } from '../controls/tabs';
import { JsonView } from '../json-view/json-view';
import { isUnfinished } from '../run-status/run-words';
import { OutputFile } from './output-file';
import { RerunButton } from './rerun-dialog';
import styles from './run-page.module.css';
import { isInParts } from './run-parts';
import { runStepQuery, type RunDetail, type RunVersion } from './run-queries';
import { placeOf, resultAt, statusOf, type StepResult, type StepResults } from './step-results';
import type { RunAddress } from './use-run-address';
import { stepDuration, words } from './words';

interface StepPanelProps {
  path: string;
  run: RunDetail;
  steps: StepResults;
  version?: RunVersion;
  address: RunAddress;
  nameOf: (step: string) => string;
}

/** What one step got and did. */
export function StepPanel({ path, run, steps, version, address, nameOf }: StepPanelProps) {
  const summary = resultAt(steps, path);
  const { result, error } = useStepResult(run, path, summary);
  if (!summary) return null;
  const { name, iterations } = placeOf(path);
  const tabs = result ? partsOf(result) : [];
  const isThere = tabs.some(({ id }) => id === address.part);
  const part = (isThere && address.part) || (result?.errorMessage === undefined ? 'output' : 'error');
  const facts = [
    words.stepStatus[statusOf(summary)],
    stepDuration(summary.duration),
    ...(summary.attempts === undefined ? [] : [words.tries(summary.attempts)]),
    ...(iterations.length === 0 ? [] : [words.inIterations(iterations)]),
  ];
  return (
    <aside aria-label={words.step} className={styles['panel']}>
      <header className={styles['panelHead']}>
        <div>
          <h2>
            <ExactText text={nameOf(name)} />
          </h2>
          <p className={styles['quiet']}>{facts.join(' · ')}</p>
        </div>
        <Button onClick={() => address.chooseStep(null)}>{words.closeStep}</Button>
      </header>
      {result ? (
        <Tabs name={words.partsOf(nameOf(name))} tabs={tabs} chosen={part} onChoose={address.choosePart} />
      ) : error ? (
        <Problem error={error} />
      ) : (
        <p role="status">{words.loadingStep}</p>
      )}
      {!isUnfinished(run) && (
        <div>
          <RerunButton run={run} version={version} from={{ name, iterations }} />
        </div>
      )}
    </aside>
  );
}

/** The result of the step with its data. That of a large run is read when the step is opened. */
function useStepResult(run: RunDetail, path: string, summary: StepResult | undefined) {
  const isRead = isInParts(run);
  const { data, error } = useQuery({ ...runStepQuery(run, path), enabled: isRead && summary !== undefined });
  return isRead ? { result: data, error } : { result: summary, error: null };
}

function partsOf(result: StepResult): Tab[] {
  const { input, output, outputFile, errorMessage, logs } = result;
  return [
    {
      id: 'input',
      name: words.input,
      content: () => (input === undefined ? <p>{words.noInput}</p> : <JsonView name={words.input} value={input} />),
    },
    {
      id: 'output',
      name: words.output,
      content: () => (outputFile ? <OutputFile file={outputFile} /> : <JsonView name={words.output} value={output} />),
    },
    ...(errorMessage === undefined
      ? []
      : [
          {
            id: 'error',
            name: words.error,
            content: () => (
              <pre className={styles['exact']}>
                <ExactText text={errorMessage} />
              </pre>
            ),
          },
        ]),
    {
      id: 'logs',
      name: words.logs,
      content: () =>
        logs?.length ? (
          <pre className={styles['exact']}>
            <ExactText text={logs.join('\n')} />
          </pre>
        ) : (
          <p>{words.noLogs}</p>
        ),
    },
  ];
}

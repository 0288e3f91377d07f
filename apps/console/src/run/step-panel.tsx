import { Button } from '../controls/button';
import { ExactText } from '../controls/exact-text';
import { Tabs, type Tab } from '../controls/tabs';
import { JsonView } from '../json-view/json-view';
import { isUnfinished } from '../run-status/run-words';
import { OutputFile } from './output-file';
import { RerunButton } from './rerun-dialog';
import styles from './run-page.module.css';
import type { RunDetail, RunVersion } from './run-queries';
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
  const result = resultAt(steps, path);
  if (!result) return null;
  const { name, iterations } = placeOf(path);
  const tabs = partsOf(result);
  const isThere = tabs.some(({ id }) => id === address.part);
  const part = (isThere && address.part) || (result.errorMessage === undefined ? 'output' : 'error');
  const facts = [
    words.stepStatus[statusOf(result)],
    stepDuration(result.duration),
    ...(result.attempts === undefined ? [] : [words.tries(result.attempts)]),
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
      <Tabs name={words.partsOf(nameOf(name))} tabs={tabs} chosen={part} onChoose={address.choosePart} />
      {!isUnfinished(run) && (
        <div>
          <RerunButton run={run} version={version} from={{ name, iterations }} />
        </div>
      )}
    </aside>
  );
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

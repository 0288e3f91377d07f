import { Status } from '../controls/status';
import { marksOf, type StepResult as Result } from '../flow-picture/run-marks';
import styles from './flow-editor.module.css';
import { words } from './panel-words';

/** More would make the page slow; the run shows all. */
const MOST_CHARACTERS = 20_000;

/** What a step did in the test: of a step in a loop, its last iteration. */
export function StepResult({ name, results }: { name: string; results: readonly Result[] }) {
  const result = results.at(-1);
  const mark = result && marksOf({ [name]: result }).get(name);
  if (!result || !mark) return null;
  return (
    <section aria-label={words.testResult} className={styles['result']}>
      <h3>{words.testResult}</h3>
      <Status tone={mark.tone} word={mark.word} />
      {result.errorMessage !== undefined && <p className={styles['failure']}>{result.errorMessage}</p>}
      {result.input !== undefined && <Value name={words.resultInput} value={result.input} />}
      <Value name={words.resultOutput} value={result.output} />
      {result.logs && result.logs.length > 0 && <Text name={words.resultLogs} text={result.logs.join('\n')} />}
    </section>
  );
}

const Value = ({ name, value }: { name: string; value: unknown }) => (
  <Text name={name} text={JSON.stringify(value, null, 2)} />
);

const Text = ({ name, text }: { name: string; text: string }) => (
  <div>
    <b>{name}</b>
    <pre className={styles['json']} tabIndex={0}>
      {text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS)}…` : text}
    </pre>
  </div>
);

import { useState } from 'react';
import { DialogForm } from '../controls/dialog-form';
import { TextAreaField } from '../controls/field';
import { words } from './dialog-words';
import { importFlow } from './flow-changes';
import { flowsIn, type FlowSource } from './flow-files';
import styles from './flow-dialogs.module.css';
import { ImportResults, type ImportResult } from './import-results';
import type { NewFlowFormProps } from './new-flow-dialog';
import { words as listWords } from './words';

/** Makes flows of JSON that was pasted, dropped or chosen as files, and says what each of them lacks. */
export function ImportForm({ place, chooser, texts: given, onClose }: NewFlowFormProps & { texts: readonly string[] }) {
  const [texts, setTexts] = useState(given);
  const [progress, setProgress] = useState('');
  const [results, setResults] = useState<readonly ImportResult[] | null>(null);
  const submit = async () => {
    const sources = sourcesIn(texts);
    const found: ImportResult[] = [];
    for (const [index, source] of sources.entries()) {
      setProgress(words.importing(index + 1, sources.length));
      found.push(await imported(source, place));
    }
    setProgress('');
    const [only, ...others] = found;
    if (only && others.length === 0 && only.error !== undefined) throw only.error;
    setResults(found);
  };
  if (results) return <ImportResults results={results} onClose={onClose} />;
  return (
    <DialogForm verb={listWords.createFlow} onSubmit={submit} onClose={onClose}>
      {chooser}
      {texts.length < 2 ? (
        <TextAreaField
          label={words.json}
          required
          rows={10}
          spellCheck={false}
          className={styles['json'] ?? ''}
          value={texts[0] ?? ''}
          onChange={(event) => setTexts([event.target.value])}
        />
      ) : (
        <Sources texts={texts} />
      )}
      <FileField onRead={setTexts} />
      <p role="status">{progress}</p>
    </DialogForm>
  );
}

async function imported(source: FlowSource, place: NewFlowFormProps['place']): Promise<ImportResult> {
  try {
    return { name: source.name ?? words.unnamed, report: await importFlow(source, place) };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return { name: source.name ?? words.unnamed, error };
  }
}

/** Throws an Error in words for a text that is no JSON, and when there is no flow. */
function sourcesIn(texts: readonly string[]): FlowSource[] {
  try {
    const sources = texts.flatMap(flowsIn);
    if (sources.length > 0) return sources;
  } catch (error) {
    throw new Error(words.noJson((error as Error).message), { cause: error });
  }
  throw new Error(words.nothingInside);
}

/** What several files hold, as far as it can be read. */
function Sources({ texts }: { texts: readonly string[] }) {
  const names = texts.flatMap((text) => {
    try {
      return flowsIn(text).map(({ name }) => name ?? words.unnamed);
    } catch (error) {
      return [words.noJson((error as Error).message)];
    }
  });
  return (
    <ul className={styles['names']}>
      {names.map((name, index) => (
        <li key={index}>{name}</li>
      ))}
    </ul>
  );
}

const FileField = ({ onRead }: { onRead: (texts: string[]) => void }) => (
  <label className={styles['files']}>
    {words.chooseFile}
    <input
      type="file"
      multiple
      accept=".json,application/json"
      onChange={({ target }) => void Promise.all([...(target.files ?? [])].map((file) => file.text())).then(onRead)}
    />
  </label>
);

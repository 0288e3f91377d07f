import { CodeEditor } from '../code-editor/code-editor';
import type { StepResult } from '../flow-picture/run-marks';
import { ObjectField } from '../prop-form/object-field';
import { DependenciesField } from './dependencies-field';
import styles from './flow-editor.module.css';
import type { StepSettingsProps } from './step-settings';
import { words } from './panel-words';

interface SourceCode {
  code?: string;
  packageJson?: string;
}

/** The code of a step with its input, its packages, what it may use, and what it wrote in the last test. */
export function CodeSettings({ step: { name, settings }, flowId, isEditable, results, onChange }: StepSettingsProps) {
  const source = (settings['sourceCode'] ?? {}) as SourceCode;
  const change = (changes: SourceCode) => onChange({ ...settings, sourceCode: { ...source, ...changes } });
  const result = results.at(-1);
  return (
    <>
      <ObjectField
        id={`${flowId}/${name}/input`}
        label={words.codeInput}
        value={settings['input'] ?? {}}
        isReadOnly={!isEditable}
        onChange={(input) => onChange({ ...settings, input })}
      />
      <CodeEditor
        label={words.source}
        value={source.code ?? ''}
        inputs={{ ...asObject(settings['input']), ...asObject(result?.input) }}
        isReadOnly={!isEditable}
        onChange={(code) => change({ code })}
      />
      <p className={styles['quiet']}>{words.codeLimits}</p>
      <Console result={result} />
      <DependenciesField packageJson={source.packageJson ?? ''} onChange={(packageJson) => change({ packageJson })} />
    </>
  );
}

/** What the code wrote when it was last tested. */
function Console({ result }: { result: StepResult | undefined }) {
  if (!result?.logs?.length) return null;
  return (
    <section aria-label={words.console}>
      <h3>{words.console}</h3>
      <pre className={styles['json']} tabIndex={0}>
        {result.logs.join('\n')}
      </pre>
    </section>
  );
}

const asObject = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};

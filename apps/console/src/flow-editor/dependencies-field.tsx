import { Cross2Icon } from '@radix-ui/react-icons';
import { useState } from 'react';
import { Button } from '../controls/button';
import { TextAreaField, TextField } from '../controls/field';
import styles from './flow-editor.module.css';
import { dependenciesOf, withDependencies, type Dependency } from './package-json';
import { words } from './panel-words';

interface DependenciesFieldProps {
  /** The text of a `package.json`. */
  packageJson: string;
  onChange: (packageJson: string) => void;
}

/** The packages that code imports. A text that is no `package.json` is shown as it is, to be mended. */
export function DependenciesField({ packageJson, onChange }: DependenciesFieldProps) {
  const [typed, setTyped] = useState<{ rows: Dependency[]; text: string } | null>(null);
  // A row without a name is no package yet, so it is only here. What comes from elsewhere takes its place.
  const rows = typed?.text === packageJson ? typed.rows : dependenciesOf(packageJson);
  if (!rows)
    return (
      <TextAreaField
        label={words.packageJson}
        rows={4}
        spellCheck={false}
        className={styles['mono'] ?? ''}
        problem={words.notPackageJson}
        value={packageJson}
        onChange={(event) => onChange(event.target.value)}
      />
    );
  const set = (changed: Dependency[]) => {
    const text = withDependencies(packageJson, changed);
    setTyped({ rows: changed, text });
    if (text !== packageJson) onChange(text);
  };
  const change = (index: number, changes: Partial<Dependency>) =>
    set(rows.map((row, at) => (at === index ? { ...row, ...changes } : row)));
  return (
    <fieldset className={styles['branch']}>
      <legend>{words.packages}</legend>
      {rows.map(({ name, version }, index) => (
        <div key={index} className={styles['pair']}>
          <TextField
            label={words.packageName(index + 1)}
            isLabelHidden
            placeholder={words.name}
            spellCheck={false}
            value={name}
            onChange={(event) => change(index, { name: event.target.value })}
          />
          <TextField
            label={words.packageVersion(index + 1)}
            isLabelHidden
            placeholder={words.version}
            spellCheck={false}
            value={version}
            onChange={(event) => change(index, { version: event.target.value })}
          />
          <Button
            className={styles['bare']}
            aria-label={words.removePackage(name || String(index + 1))}
            title={words.remove}
            onClick={() => set(rows.filter((_row, at) => at !== index))}
          >
            <Cross2Icon aria-hidden />
          </Button>
        </div>
      ))}
      <div>
        <Button onClick={() => set([...rows, { name: '', version: '' }])}>{words.addPackage}</Button>
      </div>
      <p className={styles['quiet']}>{words.packagesSay}</p>
    </fieldset>
  );
}

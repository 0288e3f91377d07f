import { TextAreaField } from '../controls/field';
import type { Step } from '../flow-picture/step';
import styles from './flow-editor.module.css';
import { JsonField } from './json-field';
import { textOfValue, valueOfText } from './json-text';
import type { Piece } from './new-step';
import type { Operation } from './operation';
import { PieceSettings } from './piece-settings';
import { RouterSettings } from './router-settings';
import { words } from './words';

export interface StepSettingsProps {
  step: Step;
  flowId: string;
  pieces: readonly Piece[] | undefined;
  onChange: (settings: Step['settings']) => void;
  /** For what is an operation of its own, such as a new branch. */
  onEdit: (operation: Operation) => void;
}

/** The form of a step, as its type has it. */
export function StepSettings(props: StepSettingsProps) {
  switch (props.step.type) {
    case 'CODE':
      return <CodeSettings {...props} />;
    case 'LOOP_ON_ITEMS':
      return <LoopSettings {...props} />;
    case 'ROUTER':
      return <RouterSettings {...props} />;
    case 'PIECE':
    case 'PIECE_TRIGGER':
      return <PieceSettings {...props} />;
    case 'EMPTY':
      return null;
  }
}

function CodeSettings({ step: { name, settings }, flowId, onChange }: StepSettingsProps) {
  const source = (settings['sourceCode'] ?? {}) as { code?: string };
  const setCode = (code: string) => onChange({ ...settings, sourceCode: { ...source, code } });
  return (
    <>
      <JsonField
        id={`${flowId}/${name}/input`}
        label={words.input}
        shape="object"
        rows={5}
        value={settings['input']}
        onChange={(input) => onChange({ ...settings, input })}
      />
      <TextAreaField
        label={words.source}
        rows={16}
        spellCheck={false}
        className={styles['mono'] ?? ''}
        value={source.code ?? ''}
        onChange={(event) => setCode(event.target.value)}
      />
    </>
  );
}

const LoopSettings = ({ step: { settings }, onChange }: StepSettingsProps) => (
  <div>
    <TextAreaField
      label={words.items}
      rows={3}
      spellCheck={false}
      className={styles['mono'] ?? ''}
      value={textOfValue(settings['items'])}
      onChange={(event) => onChange({ ...settings, items: valueOfText(event.target.value) })}
    />
    <p className={styles['quiet']}>{words.itemsSays}</p>
  </div>
);

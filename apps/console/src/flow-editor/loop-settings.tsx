import { ValueField } from '../prop-form/value-field';
import styles from './flow-editor.module.css';
import type { StepSettingsProps } from './step-settings';
import { words } from './panel-words';

export const LoopSettings = ({ step: { settings }, isEditable, onChange }: StepSettingsProps) => (
  <div>
    <ValueField
      label={words.items}
      value={settings['items']}
      isReadOnly={!isEditable}
      onChange={(items) => onChange({ ...settings, items })}
    />
    <p className={styles['quiet']}>{words.itemsSays}</p>
  </div>
);

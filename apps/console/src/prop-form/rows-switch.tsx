import { Button } from '../controls/button';
import styles from './prop-form.module.css';
import { words } from './words';

interface RowsSwitchProps {
  label: string;
  isJson: boolean;
  isReadOnly: boolean;
  onSwitch: () => void;
}

/** Shows a value row by row, or as JSON. */
export const RowsSwitch = ({ label, isJson, isReadOnly, onSwitch }: RowsSwitchProps) => (
  <Button
    className={styles['switch']}
    aria-label={isJson ? words.asRows(label) : words.asJson(label)}
    disabled={isReadOnly}
    onClick={onSwitch}
  >
    {isJson ? words.rows : words.json}
  </Button>
);

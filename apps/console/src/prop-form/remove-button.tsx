import { Cross2Icon } from '@radix-ui/react-icons';
import { Button } from '../controls/button';
import styles from './prop-form.module.css';
import { words } from './words';

interface RemoveButtonProps {
  /** What is removed, and of which field. */
  name: string;
  from: string;
  isReadOnly: boolean;
  onRemove: () => void;
}

export const RemoveButton = ({ name, from, isReadOnly, onRemove }: RemoveButtonProps) => (
  <Button
    className={styles['remove']}
    aria-label={words.removeRow(from, name)}
    title={words.remove}
    disabled={isReadOnly}
    onClick={onRemove}
  >
    <Cross2Icon aria-hidden />
  </Button>
);

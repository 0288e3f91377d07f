import { useState } from 'react';
import { Button } from '../controls/button';
import { Dialog, DialogActions } from '../controls/dialog';
import { TextAreaField } from '../controls/field';
import styles from './flow-editor.module.css';
import { pastedSteps } from './pasted-steps';
import { words } from './panel-words';

interface PasteDialogProps {
  onPaste: (text: string) => void;
  onClose: () => void;
}

/** Takes steps as text, where the browser does not let a page read the clipboard. */
export function PasteDialog({ onPaste, onClose }: PasteDialogProps) {
  const [text, setText] = useState('');
  const pasted = pastedSteps(text);
  const problem = text !== '' && 'problem' in pasted ? words.notPasted[pasted.problem] : null;
  return (
    <Dialog title={words.pasteSteps} isOpen onClose={onClose}>
      <TextAreaField
        label={words.pasteText}
        rows={10}
        spellCheck={false}
        className={styles['mono'] ?? ''}
        problem={problem}
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <DialogActions>
        <Button onClick={onClose}>{words.cancel}</Button>
        <Button
          isMain
          disabled={'problem' in pasted}
          onClick={() => {
            onClose();
            onPaste(text);
          }}
        >
          {words.pasteSteps}
        </Button>
      </DialogActions>
    </Dialog>
  );
}

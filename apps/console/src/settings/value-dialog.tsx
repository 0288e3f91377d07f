import { useState } from 'react';
import { TextAreaField, TextField } from '../controls/field';
import { FormDialog } from '../controls/form-dialog';
import { placeOf, putValue, type StoreEntry } from './store-queries';
import { storeWords as words } from './words';

interface ValueDialogProps {
  projectId: string;
  /** The value that is changed; a new one of the project is made without it. */
  entry?: StoreEntry;
  onClose: () => void;
}

/** Takes a value as JSON. */
export function ValueDialog({ projectId, entry, onClose }: ValueDialogProps) {
  const [key, setKey] = useState(entry?.key ?? '');
  const [text, setText] = useState(entry ? JSON.stringify(entry.value, null, 2) : '');
  const submit = async () => {
    await putValue(entry ? placeOf(entry) : { projectId, scope: 'PROJECT', key: key.trim() }, parsed(text));
    onClose();
  };
  return (
    <FormDialog
      title={entry ? words.valueOf(entry.key) : words.newValue}
      verb={words.save}
      onSubmit={submit}
      onClose={onClose}
    >
      {!entry && (
        <TextField
          label={words.key}
          required
          maxLength={128}
          value={key}
          onChange={(event) => setKey(event.target.value)}
        />
      )}
      <TextAreaField
        label={words.json}
        required
        rows={10}
        spellCheck={false}
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
    </FormDialog>
  );
}

/** Throws an Error with a sentence for a text that is no JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(words.noJson((error as Error).message), { cause: error });
  }
}

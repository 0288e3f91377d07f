import { useState } from 'react';
import { CheckField, TextField } from '../controls/field';
import { FormDialog } from '../controls/form-dialog';
import type { EventKind } from './destination-queries';
import { EVENT_KINDS } from './event-kinds';
import styles from './settings.module.css';
import { destinationWords as words } from './words';

export interface DestinationFields {
  url: string;
  events: EventKind[];
}

interface DestinationDialogProps {
  title: string;
  verb: string;
  before: DestinationFields;
  onSubmit: (fields: DestinationFields) => Promise<unknown>;
  onClose: () => void;
}

/** Takes where events are sent, and which. */
export function DestinationDialog({ title, verb, before, onSubmit, onClose }: DestinationDialogProps) {
  const [url, setUrl] = useState(before.url);
  const [chosen, setChosen] = useState<ReadonlySet<EventKind>>(new Set(before.events));
  const choose = (kind: EventKind, isChosen: boolean) =>
    setChosen((others) => new Set(EVENT_KINDS.filter((each) => (each === kind ? isChosen : others.has(each)))));
  const submit = async () => {
    if (chosen.size === 0) throw new Error(words.chooseOne);
    await onSubmit({ url: url.trim(), events: [...chosen] });
  };
  return (
    <FormDialog title={title} verb={verb} onSubmit={submit} onClose={onClose}>
      <TextField
        label={words.url}
        required
        type="url"
        autoComplete="off"
        placeholder={words.urlBegins}
        value={url}
        onChange={(event) => setUrl(event.target.value)}
      />
      <fieldset className={styles['kinds']}>
        <legend>{words.events}</legend>
        {EVENT_KINDS.map((kind) => (
          <CheckField
            key={kind}
            label={kind}
            isChecked={chosen.has(kind)}
            onCheck={(isChosen) => choose(kind, isChosen)}
          />
        ))}
      </fieldset>
    </FormDialog>
  );
}

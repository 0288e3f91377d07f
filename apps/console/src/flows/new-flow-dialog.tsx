import { useState, type ReactNode } from 'react';
import { useNavigate } from 'react-router';
import { Dialog } from '../controls/dialog';
import { DialogForm } from '../controls/dialog-form';
import { TextField } from '../controls/field';
import { lazyPart } from '../controls/lazy-part';
import { Loading } from '../controls/loading';
import { RadioGroup } from '../controls/radio-group';
import { createFlow, type Place } from './flow-changes';
import { words } from './words';

const loading = { waiting: <Loading /> };
const TemplateForm = lazyPart(async () => (await import('./template-form')).TemplateForm, loading);
const ImportForm = lazyPart(async () => (await import('./import-form')).ImportForm, loading);

type Source = keyof typeof words.sources;

const SOURCES = (Object.keys(words.sources) as Source[]).map((value) => ({ value, label: words.sources[value] }));

export interface NewFlowFormProps {
  place: Place;
  /** What chooses another form. It stands below the name, so that the name can be typed at once. */
  chooser: ReactNode;
  onClose: () => void;
}

interface NewFlowDialogProps {
  place: Place;
  /** The JSON that was pasted or dropped; empty when the person begins with nothing. */
  texts: readonly string[];
  onClose: () => void;
}

/** Makes a flow of nothing, of a template, or of JSON. */
export function NewFlowDialog({ place, texts, onClose }: NewFlowDialogProps) {
  const [source, setSource] = useState<Source>(texts.length === 0 ? 'nothing' : 'json');
  const chooser = <RadioGroup name={words.startWith} choices={SOURCES} chosen={source} onChoose={setSource} />;
  const form = { place, chooser, onClose };
  return (
    <Dialog title={words.newFlow} isOpen onClose={onClose}>
      {source === 'nothing' && <EmptyForm {...form} />}
      {source === 'template' && <TemplateForm {...form} />}
      {source === 'json' && <ImportForm {...form} texts={texts} />}
    </Dialog>
  );
}

function EmptyForm({ place, chooser, onClose }: NewFlowFormProps) {
  const [name, setName] = useState('');
  const navigate = useNavigate();
  const create = async () => navigate(`/flows/${await createFlow({ ...place, displayName: name.trim() })}`);
  return (
    <DialogForm verb={words.createFlow} onSubmit={create} onClose={onClose}>
      <TextField
        label={words.nameOfFlow}
        required
        maxLength={255}
        value={name}
        onChange={(event) => setName(event.target.value)}
      />
      {chooser}
    </DialogForm>
  );
}

import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ChoiceField, TextAreaField, TextField } from '../controls/field';
import { FormDialog } from '../controls/form-dialog';
import { Problem } from '../controls/problem';
import { SearchField } from '../controls/search-field';
import { createTemplate, foundFlowsQuery } from './template-queries';
import { words } from './words';

interface NewTemplateDialogProps {
  projectId: string;
  /** The flow that is copied; empty when the person has to choose one. */
  flowId: string;
  onClose: () => void;
}

const NO_FLOW = { value: '', label: words.chooseFlow };

/** Keeps the latest version of a flow as a template. */
export function NewTemplateDialog({ projectId, flowId, onClose }: NewTemplateDialogProps) {
  const [sought, setSought] = useState('');
  const [chosen, setChosen] = useState(flowId);
  const [name, setName] = useState('');
  const [description, setDescription] = useState('');
  const { data: flows = [], error, isPending } = useQuery(foundFlowsQuery(projectId, sought));
  const create = async () => {
    if (chosen === '') throw new Error(words.chooseFlow);
    await createTemplate({ projectId, flowId: chosen, name: name.trim() || undefined, description });
    onClose();
  };
  return (
    <FormDialog title={words.newTemplate} verb={words.create} onSubmit={create} onClose={onClose}>
      {flowId === '' && (
        <>
          <SearchField label={words.searchFlows} value={sought} onSearch={setSought} />
          {error && <Problem error={error} />}
          <ChoiceField label={words.fromFlow} value={chosen} choices={[NO_FLOW, ...flows]} onChoose={setChosen} />
          {!isPending && flows.length === 0 && <p>{words.noFlow}</p>}
        </>
      )}
      <TextField
        label={words.name}
        maxLength={255}
        placeholder={flows.find(({ value }) => value === chosen)?.label}
        value={name}
        onChange={(event) => setName(event.target.value)}
      />
      <TextAreaField
        label={words.description}
        rows={4}
        maxLength={10_000}
        value={description}
        onChange={(event) => setDescription(event.target.value)}
      />
    </FormDialog>
  );
}

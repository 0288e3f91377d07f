import { queryOptions, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import { answerOf, GET } from '../api/client';
import { DialogForm } from '../controls/dialog-form';
import { ChoiceField, TextField } from '../controls/field';
import { Loading } from '../controls/loading';
import { Problem } from '../controls/problem';
import { words } from './dialog-words';
import { createFlow } from './flow-changes';
import type { NewFlowFormProps } from './new-flow-dialog';
import { words as listWords } from './words';

const MOST_TEMPLATES = 100;

/** The templates to choose from, the newest first. */
const templatesQuery = (projectId: string) =>
  queryOptions({
    queryKey: ['templates', projectId, 'choices'],
    queryFn: async ({ signal }) => {
      const query = { projectId, limit: MOST_TEMPLATES };
      const { data } = await answerOf(GET('/api/v1/templates', { params: { query }, signal }));
      return data.map(({ id, name }) => ({ value: id, label: name }));
    },
  });

/** Makes a flow that starts with the steps of a template. */
export function TemplateForm({ place, chooser, onClose }: NewFlowFormProps) {
  const { data: templates, error } = useQuery(templatesQuery(place.projectId));
  const [chosen, setChosen] = useState('');
  const [name, setName] = useState('');
  const navigate = useNavigate();
  const template = templates?.find(({ value }) => value === chosen) ?? templates?.[0];
  const create = async () => {
    if (!template) throw new Error(words.chooseTemplate);
    const displayName = name.trim() || template.label;
    await navigate(`/flows/${await createFlow({ ...place, displayName, templateId: template.value })}`);
  };
  return (
    <DialogForm verb={listWords.createFlow} onSubmit={create} onClose={onClose}>
      <TextField
        label={listWords.nameOfFlow}
        maxLength={255}
        placeholder={template?.label}
        value={name}
        onChange={(event) => setName(event.target.value)}
      />
      {chooser}
      {error && <Problem error={error} />}
      {!templates && !error && <Loading />}
      {templates?.length === 0 && <p>{words.noTemplates}</p>}
      {templates && template && (
        <ChoiceField label={words.template} value={template.value} choices={templates} onChoose={setChosen} />
      )}
    </DialogForm>
  );
}

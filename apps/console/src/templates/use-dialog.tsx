import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import { TextField } from '../controls/field';
import { FormDialog } from '../controls/form-dialog';
import { Loading } from '../controls/loading';
import { Problem } from '../controls/problem';
import { stepsOf, type Step } from '../flow-picture/step';
import { flowFrom, templateQuery, type Template } from './template-queries';
import { words } from './words';

/** Shows the steps of a template, and makes a flow that starts with them. */
export function UseDialog({ template, onClose }: { template: Template; onClose: () => void }) {
  const [name, setName] = useState(template.name);
  const navigate = useNavigate();
  const { data, error, refetch } = useQuery(templateQuery(template.id));
  const create = async () => navigate(`/flows/${await flowFrom(template, name.trim())}`);
  return (
    <FormDialog title={words.useTitle(template.name)} verb={words.createFlow} onSubmit={create} onClose={onClose}>
      <TextField
        label={words.nameOfFlow}
        required
        maxLength={255}
        value={name}
        onChange={(event) => setName(event.target.value)}
      />
      {template.description !== '' && <p>{template.description}</p>}
      {error && <Problem error={error} onTryAgain={() => void refetch()} />}
      {!data && !error && <Loading />}
      {data && (
        <section aria-labelledby="template-steps">
          <h3 id="template-steps">{words.steps}</h3>
          <ol>
            {[...stepsOf(data.template.trigger as unknown as Step)].map(({ name: step, displayName }) => (
              <li key={step}>{displayName}</li>
            ))}
          </ol>
        </section>
      )}
    </FormDialog>
  );
}

import { isJsonObject, type FormField } from '@millrace/domain';
import { defineTrigger } from '../framework/piece';
import { FIELDS, FORM_FIELD_MEMBERS, literalFieldProblems, literalFields } from './form-fields';

export const formSubmission = defineTrigger({
  displayName: 'Form Submission',
  description:
    'Starts a run for each form that a person sends. The form is at `/api/v1/forms/<id of the flow>` while the flow is enabled.',
  resultType: 'WEBHOOK',
  output: 'An object: what was given for each field, by its name, and null for a field that was left out.',
  props: { fields: FIELDS },
  members: () => ({ fields: FORM_FIELD_MEMBERS }),
  problems: ({ fields }) => literalFieldProblems(fields),
});

/** The fields that the form of a published version asks for. Null when its input has none that can be read. */
export const submittedFields = (triggerInput: unknown): FormField[] | null =>
  isJsonObject(triggerInput) ? literalFields(triggerInput['fields']) : null;

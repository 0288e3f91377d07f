import { ActionFailure, defineAction, definePiece } from '../framework/piece';
import { FIELDS, FORM_FIELD_MEMBERS, formFieldProblems, formFieldsOf } from './form-fields';
import { formSubmission } from './form-submission';
import { MESSAGE, withMessage } from './message';

const waitForInput = defineAction({
  displayName: 'Wait For Input',
  description: 'Waits until a person has filled in a form. Their answers are the output.',
  isPure: true,
  output: 'An object: what was given for each field, by its name.',
  props: { message: MESSAGE, fields: FIELDS },
  members: () => ({ fields: FORM_FIELD_MEMBERS }),
  problems: ({ fields }) => formFieldProblems(fields),
  run: async ({ input, waitFor }) => {
    const form = formFieldsOf(input.fields);
    if ('problems' in form) throw new ActionFailure(form.problems.join(' '));
    return waitFor.human(withMessage({ kind: 'form', fields: form.fields }, input.message));
  },
});

export const humanInput = definePiece({
  name: 'human_input',
  displayName: 'Human Input',
  description: 'Asks a person for input.',
  category: 'PEOPLE',
  keywords: ['form', 'question', 'ask', 'person', 'survey'],
  version: '0.1.0',
  auth: { kind: 'none' },
  triggers: { form_submission: formSubmission },
  actions: { wait_for_input: waitForInput },
});

import { isJsonObject, type FormField } from '@millrace/domain';
import { coerceInput, holdsExpression, isMissing, unknownKeys } from '../framework/coerce-input';
import type { Props } from '../framework/props';

// Checks the fields of a form that an author has written, and fills in their defaults.

const TYPES = ['text', 'number', 'boolean', 'date', 'select'] as const satisfies readonly FormField['type'][];
/** The members of a field. Their values are checked below, with sentences that name the field. */
export const FORM_FIELD_MEMBERS = Object.fromEntries(
  ['name', 'label', 'type', 'required', 'options'].map((name) => [
    name,
    { kind: 'any', displayName: name, required: false } as const,
  ]),
) satisfies Props;
/** The prop of the fields. */
export const FIELDS = {
  kind: 'array',
  displayName: 'Fields',
  description:
    'Each field has a name, label, type (text, number, boolean, date or select), required, and options for a select.',
  required: true,
} as const;
const MAX_FIELDS = 100;

type WrittenField = Readonly<Record<string, unknown>>;

export type FormFields = { fields: FormField[] } | { problems: string[] };

/**
 * The fields of a form, from a resolved input. Each problem is one sentence that names its field. An unknown member is a
 * problem here, because a check of the draft cannot warn of what an expression gives.
 */
export function formFieldsOf(given: readonly unknown[]): FormFields {
  const problems = fieldListProblems(
    given,
    () => false,
    (field) => [...memberProblems(field, () => false), ...unknownMemberProblems(field)],
  );
  return problems.length > 0 ? { problems } : { fields: given.map((field) => fieldOf(field as FormField)) };
}

/** Finds problems in fields as the author wrote them. An expression passes, because its value is not known yet. */
export function formFieldProblems(written: unknown): string[] {
  if (typeof written === 'string' && holdsExpression(written)) return [];
  return problemsOfWritten(written, holdsExpression);
}

/** The same for a form that nobody resolves: the one of a trigger, which is shown outside of any run. */
export const literalFieldProblems = (written: unknown): string[] => problemsOfWritten(written, () => false);

/** The fields of such a form, with their defaults. Null when there are problems. A check has warned of other members. */
export function literalFields(written: unknown): FormField[] | null {
  const fields = writtenFields(written);
  return fields === null || literalFieldProblems(written).length > 0 ? null : (fields as FormField[]).map(fieldOf);
}

function problemsOfWritten(written: unknown, passes: (value: unknown) => boolean): string[] {
  const fields = writtenFields(written);
  if (fields === null) return []; // the prop `fields` reports this itself
  return fieldListProblems(fields, passes, (field) => memberProblems(field, passes));
}

/** The list that the author wrote, perhaps as JSON. Null when it is none. */
function writtenFields(written: unknown): readonly unknown[] | null {
  const coerced = coerceInput({ fields: FIELDS }, { fields: written });
  return 'problems' in coerced ? null : (coerced.input['fields'] as unknown[]);
}

const fieldOf = ({ name, label, type, required, options }: FormField): FormField => ({
  name,
  label: isMissing(label) ? name : label,
  type,
  required: required ?? false,
  ...(type === 'select' && { options: options ?? [] }),
});

function fieldListProblems(
  fields: readonly unknown[],
  passes: (value: unknown) => boolean,
  problemsOf: (field: WrittenField) => string[],
): string[] {
  if (fields.length === 0) return ['The form has no fields.'];
  if (fields.length > MAX_FIELDS) return [`A form has at most ${MAX_FIELDS} fields.`];
  const names = fields.map((field) => (isJsonObject(field) ? field['name'] : undefined));
  return fields.flatMap((field, index) => {
    const which = typeof names[index] === 'string' && names[index] !== '' ? `"${names[index]}"` : `${index + 1}`;
    if (passes(field) && !isJsonObject(field)) return [];
    if (!isJsonObject(field)) return [`The field ${which} of the form is not an object.`];
    const isRepeated = !isMissing(names[index]) && names.indexOf(names[index]) < index;
    if (isRepeated && !passes(names[index])) return [`The form has two fields with the name ${which}.`];
    return problemsOf(field).map((problem) => `The field ${which} of the form ${problem}.`);
  });
}

function memberProblems(field: WrittenField, passes: (value: unknown) => boolean): string[] {
  const is = (member: string, fits: (value: unknown) => boolean): boolean =>
    passes(field[member]) || fits(field[member]);
  const problems: string[] = [];
  if (!is('name', (name) => typeof name === 'string' && name !== '')) problems.push('has no name');
  if (!is('label', (label) => isMissing(label) || typeof label === 'string'))
    problems.push('has a label that is no text');
  if (!is('type', (type) => TYPES.some((known) => known === type)))
    problems.push(`must have one of the types ${TYPES.join(', ')}`);
  if (!is('required', (required) => required === undefined || required === null || typeof required === 'boolean'))
    problems.push('must say by true or false whether it is required');
  if (field['type'] === 'select' && !is('options', isListOfTexts))
    problems.push('needs a list of texts to choose from');
  return problems;
}

function unknownMemberProblems(field: WrittenField): string[] {
  const unknown = unknownKeys(FORM_FIELD_MEMBERS, field);
  return unknown.length > 0 ? [`has the unknown member ${unknown.join(', ')}`] : [];
}

const isListOfTexts = (value: unknown): boolean =>
  Array.isArray(value) && value.length > 0 && value.every((option) => typeof option === 'string' && option !== '');

import type { Member } from '../../json/request-shape';
import { index, oneOf, text } from '../../json/request-shape';
import { MAX_STEPS_PER_VERSION } from '../flow-version';
import { STEP_LOCATIONS } from '../step-tree';

// The members that several operations on steps have in their requests.

/** No step has a longer name. The limit keeps messages readable that quote an unknown name. */
const MAX_NAME_LENGTH = 100;

/** The name of a step. Whether the flow has this step is checked later. */
export const STEP_NAME = text({ maxLength: MAX_NAME_LENGTH, description: 'An existing step.' });

/** The names of one or more steps. */
export const STEP_NAMES: Member<string[]> = {
  read(reader, name) {
    reader.needs(name);
    const names = reader.texts(name);
    const sent = reader.any(name);
    const count = Array.isArray(sent) ? sent.length : 1;
    if (count === 0) reader.wrong(name, 'must name at least one step.');
    if (count > MAX_STEPS_PER_VERSION) reader.wrong(name, `must name at most ${MAX_STEPS_PER_VERSION} steps.`);
    if (names.some(({ length }) => length > MAX_NAME_LENGTH))
      reader.wrong(name, `must hold names of at most ${MAX_NAME_LENGTH} characters.`);
    return names;
  },
  schema: {
    type: 'array',
    items: { type: 'string', maxLength: MAX_NAME_LENGTH },
    minItems: 1,
    maxItems: MAX_STEPS_PER_VERSION,
    description: 'Existing steps.',
  },
};

/** Where a step goes in relation to its parent step. */
export const STEP_LOCATION = oneOf(STEP_LOCATIONS, 'AFTER');

/** The index of a branch. */
export const BRANCH_INDEX = index();

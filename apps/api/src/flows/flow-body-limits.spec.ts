import { OPERATION_BODY_LIMIT } from './flow-body-limits';

const MB = 1024 * 1024;

describe('the body of a flow operation', () => {
  it.each([
    ['that imports may be large and deep', { type: 'IMPORT_FLOW' }, 25 * MB, 1_200],
    ['that adds steps may be deep', { type: 'ADD_ACTION' }, MB, 1_200],
    ['that replaces a step may be deep', { type: 'UPDATE_ACTION' }, MB, 1_200],
    ['that replaces the trigger may be deep', { type: 'UPDATE_TRIGGER' }, MB, 1_200],
    ['of another kind is small', { type: 'CHANGE_STATUS' }, MB, 128],
    ['of no known kind is small', { type: ['IMPORT_FLOW'] }, MB, 128],
    ['that is null is small', null, MB, 128],
    ['that is a text is small', 'IMPORT_FLOW', MB, 128],
  ])('%s', (_what, body, bytes, depth) => expect(OPERATION_BODY_LIMIT.limitOf?.(body)).toEqual({ bytes, depth }));
});

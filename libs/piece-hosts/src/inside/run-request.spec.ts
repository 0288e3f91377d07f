import { pieceOf } from './piece-module';
import type { Ask } from './requests';
import { runRequest } from './run-request';

const ask: Ask = () => Promise.reject(new Error('It asks for nothing.'));

const exportsOf = (auth: unknown) => ({
  piece: {
    ...{ auth, metadata: () => ({ displayName: 'Notes', auth }), actions: () => ({}), triggers: () => ({}) },
    ...{ getAction: () => undefined, getTrigger: () => undefined },
  },
});

const validate = async () => ({ valid: true });

describe('what a piece says of itself', () => {
  it.each([
    ['no connection', undefined, []],
    ['none that it checks', { type: 'OAUTH2' }, []],
    ['one that it checks', { type: 'SECRET_TEXT', validate }, ['SECRET_TEXT']],
    ['several, one of them none', [undefined, { type: 'OAUTH2' }, { type: 'CUSTOM_AUTH', validate }], ['CUSTOM_AUTH']],
  ])('has the types of connections that it checks: %s', async (_what, auth, checkedAuths) => {
    expect(await runRequest(pieceOf(exportsOf(auth)), { kind: 'describe' }, ask)).toMatchObject({
      displayName: 'Notes',
      contextVersion: 0,
      checkedAuths,
    });
  });
});

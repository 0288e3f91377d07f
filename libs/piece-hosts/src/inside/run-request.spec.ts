import { pieceOf } from './piece-module';
import type { Ask, TriggerHook, TriggerRequest } from './requests';
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

describe('the test of a trigger without one', () => {
  const hook = (sampleData: unknown, name: TriggerHook) => {
    const { piece } = exportsOf(undefined);
    const trigger = { props: {}, run: async () => [], ...(sampleData !== undefined && { sampleData }) };
    const asked = { kind: 'trigger', hook: name, trigger: 'ordered', input: {} } as TriggerRequest;
    return runRequest(pieceOf({ piece: { ...piece, getTrigger: () => trigger } }), asked, ask);
  };

  it.each([
    ['the sample data of the package', { id: 7 }, [{ id: 7 }]],
    ['nothing when it has none', undefined, []],
    ['nothing when that is null', null, []],
  ])('finds %s', async (_what, sampleData, result) => {
    expect(await hook(sampleData, 'test')).toEqual({ result });
  });

  it('is the only function that is not needed', async () => {
    await expect(hook({ id: 7 }, 'onEnable')).rejects.toThrow('The trigger ordered has no onEnable.');
  });
});

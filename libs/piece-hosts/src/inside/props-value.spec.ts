import { actionContext } from './action-context';
import { triggerContext } from './trigger-context';

const ask = (): Promise<unknown> => Promise.resolve();
const scope = {
  ...{ projectId: 'project', flowId: 'flow', flowVersionId: 'version', stepName: 'step', runId: 'run', token: 'token' },
  ...{ apiUrl: 'http://api.inner/api/', publicUrl: 'http://public.example/api/', webhookUrl: 'http://hook.example' },
  input: { text: 'hello' },
};
const actionRequest = { ...scope, kind: 'action', action: 'act' } as const;
const triggerRequest = { ...scope, kind: 'trigger', trigger: 'new', hook: 'run' } as const;

describe('the inputs that a package gets', () => {
  const auth = { type: 'SECRET_TEXT', secret_text: 'secret' };

  it.each([
    [0, 'secret'],
    [1, auth],
    [2, auth],
  ] as const)('have the connection among them, as context %d expects it', (version, expected) => {
    const { propsValue } = actionContext(ask, { ...actionRequest, auth }, version).context;
    const ofTrigger = triggerContext(ask, { ...triggerRequest, auth }, version).context.propsValue;

    expect(propsValue).toEqual({ text: 'hello', auth: expected });
    expect(ofTrigger).toEqual(propsValue);
  });

  it('have none where the step has no connection', () => {
    expect(actionContext(ask, actionRequest, 2).context.propsValue).toEqual({ text: 'hello' });
    expect(Object.keys(triggerContext(ask, triggerRequest, 2).context.propsValue)).toEqual(['text']);
  });
});

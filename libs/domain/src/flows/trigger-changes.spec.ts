import { aFlow } from '../testing/a-flow';
import { aFlowVersion, codeStep, webhookTrigger } from '../testing/a-flow-version';
import { RecordingTriggerRegistry } from '../testing/recording-trigger-registry';
import type { Flow } from './flow';
import type { FlowVersion } from './flow-version';
import { registerAllOrNothing, triggerChanges } from './trigger-changes';
import type { LiveTrigger } from './trigger-registry';

const versionWith = (id: string, input: Record<string, unknown>, more: Partial<FlowVersion> = {}): FlowVersion =>
  aFlowVersion([], { id, trigger: webhookTrigger([codeStep(`only_in_${id}`)], input), ...more });

const v1 = versionWith('v1', { authType: 'none' });
const v2 = versionWith('v2', { authType: 'basic' });
const sameAsV1 = versionWith('v3', { authType: 'none' });
const sampled: FlowVersion = {
  ...sameAsV1,
  trigger: {
    ...webhookTrigger([], { authType: 'none' }),
    displayName: 'Other',
    settings: { ...webhookTrigger([], { authType: 'none' }).settings, sampleData: { outputSavedAt: 'now' } },
  },
};
const draft = versionWith('draft', { authType: 'header' }, { state: 'DRAFT' });

const flow = (status: Flow['status'], published: FlowVersion | null): Flow =>
  aFlow({ id: 'flow_1', projectId: 'project_1', status, publishedVersionId: published?.id ?? null });
const live = ({ id, trigger }: FlowVersion): LiveTrigger => ({
  flowId: 'flow_1',
  projectId: 'project_1',
  flowVersionId: id,
  trigger,
});

type Side = [Flow['status'], published: FlowVersion | null];

describe('triggerChanges', () => {
  it.each<[string, Side, Side, latest: FlowVersion, register: FlowVersion | null, unregister: FlowVersion | null]>([
    ['registers the first published version', ['DISABLED', null], ['ENABLED', v1], v1, v1, null],
    ['replaces the trigger of another version', ['ENABLED', v1], ['ENABLED', v2], v2, v2, v1],
    ['leaves a trigger that listens alike', ['ENABLED', v1], ['ENABLED', sameAsV1], sameAsV1, null, null],
    ['leaves it when only its sample and name differ', ['ENABLED', v1], ['ENABLED', sampled], sampled, null, null],
    ['registers what was published when enabled', ['DISABLED', v1], ['ENABLED', v1], draft, v1, null],
    ['registers what is published with enabling', ['DISABLED', v1], ['ENABLED', v2], v2, v2, null],
    ['unregisters when disabled', ['ENABLED', v1], ['DISABLED', v1], draft, null, v1],
    ['does nothing when a draft is edited', ['ENABLED', v1], ['ENABLED', v1], draft, null, null],
    ['does nothing while disabled', ['DISABLED', v1], ['DISABLED', v1], draft, null, null],
    ['does nothing for a flow never published', ['DISABLED', null], ['DISABLED', null], draft, null, null],
  ])('%s', (_what, [statusBefore, before], [statusAfter, after], latest, register, unregister) => {
    const changes = triggerChanges(
      { flow: flow(statusBefore, before), published: before },
      { flow: flow(statusAfter, after), version: latest },
    );
    expect(changes).toEqual({ register: register && live(register), unregister: unregister && live(unregister) });
  });
});

describe('registerAllOrNothing', () => {
  const replacement = { register: live(v2), unregister: live(v1) };
  const calls = (registry: RecordingTriggerRegistry) =>
    registry.calls.map(({ call, trigger }) => `${call} ${trigger.flowVersionId}`);

  it('registers the new trigger before it unregisters the old one', async () => {
    const registry = new RecordingTriggerRegistry();
    await registerAllOrNothing(registry, replacement);
    expect(calls(registry)).toEqual(['register v2', 'unregister v1']);
  });

  it('asks nothing when there is nothing to change', async () => {
    const registry = new RecordingTriggerRegistry();
    const undo = await registerAllOrNothing(registry, { register: null, unregister: null });
    await undo();
    expect(calls(registry)).toEqual([]);
  });

  it('leaves the old trigger alone when the new one is refused', async () => {
    const registry = new RecordingTriggerRegistry();
    registry.refuse('register', new Error('No such address.'));
    await expect(registerAllOrNothing(registry, replacement)).rejects.toThrow('No such address.');
    expect(calls(registry)).toEqual(['register v2']);
  });

  it('takes the new trigger back when the old one cannot be stopped', async () => {
    const registry = new RecordingTriggerRegistry();
    registry.refuse('unregister', new Error('Not now.'), 'v1');
    await expect(registerAllOrNothing(registry, replacement)).rejects.toThrow('Not now.');
    expect(calls(registry)).toEqual(['register v2', 'unregister v1', 'unregister v2']);
  });

  it('tells both when the new trigger cannot be taken back either', async () => {
    const registry = new RecordingTriggerRegistry();
    const notNow = new Error('Not now.');
    registry.refuse('unregister', notNow);
    await expect(registerAllOrNothing(registry, replacement)).rejects.toMatchObject({ errors: [notNow, notNow] });
  });

  it('gives what takes it all back', async () => {
    const registry = new RecordingTriggerRegistry();
    const undo = await registerAllOrNothing(registry, replacement);
    registry.calls.length = 0;
    await undo();
    expect(calls(registry)).toEqual(['register v1', 'unregister v2']);
  });
});

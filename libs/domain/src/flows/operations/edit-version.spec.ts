import { EntityNotFoundError } from '../../errors/entity-not-found.error';
import { FlowOperationInvalidError } from '../../errors/flow-operation-invalid.error';
import { loop } from '../../testing/a-flow-version';
import type { FlowVersion } from '../flow-version';
import { findStep } from '../step-tree';
import { aCodeStep, aDraft, aFlowWithDraft, aTrigger } from '../testing/a-draft';
import { applyOperation, foundInvalid, OPERATION_TIME } from '../testing/an-operation-context';
import { parseFlowOperation } from './flow-operation';

// The operations on a whole version and on its sample data.

const lockedFlow = (more: Partial<FlowVersion> = {}) =>
  aFlowWithDraft({ version: aDraft({ state: 'LOCKED', ...more }), publishedVersionId: 'version_0' });

describe('LOCK_FLOW', () => {
  it('locks the draft and publishes nothing', async () => {
    const change = await applyOperation(aFlowWithDraft(), 'LOCK_FLOW', {});
    expect(change).toMatchObject({
      flow: { status: 'DISABLED', publishedVersionId: null, revision: 2 },
      version: { id: aDraft().id, state: 'LOCKED', updated: OPERATION_TIME, updatedBy: 'user_2' },
      isNewVersion: false,
    });
  });

  it('locks a draft that is not valid, and says that it is not', async () => {
    const { version } = await applyOperation(aFlowWithDraft(), 'LOCK_FLOW', {}, { check: foundInvalid });
    expect(version).toMatchObject({ state: 'LOCKED', valid: false });
  });

  it('refuses when there is no draft', async () => {
    await expect(applyOperation(lockedFlow(), 'LOCK_FLOW', {})).rejects.toThrow(FlowOperationInvalidError);
  });
});

describe('USE_AS_DRAFT', () => {
  const source = aDraft({
    id: 'version_1',
    state: 'LOCKED',
    displayName: 'As it was',
    trigger: aTrigger({ nextAction: aCodeStep() }),
    notes: [{ id: 'note_1', content: '' }],
  });
  const findVersion = (versionId: string) => Promise.resolve(versionId === source.id ? source : null);
  const { displayName, trigger, notes } = source;

  it('puts the definition of that version into the draft', async () => {
    const current = aFlowWithDraft({ version: aDraft({ notes: [{ id: 'note_2', content: '' }] }) });
    const change = await applyOperation(current, 'USE_AS_DRAFT', { versionId: 'version_1' }, { findVersion });
    const version = { id: current.version.id, state: 'DRAFT', displayName, trigger, notes };
    expect(change).toMatchObject({ version, isNewVersion: false });
  });

  it('marks the sample data that there is now, and forgets that of steps which go', async () => {
    const marks = { outputSavedAt: '2026-01-01T00:00:00.000Z' };
    const sampled = (name: string, sampleData?: object) => {
      const step = aCodeStep({ name });
      return { ...step, settings: { ...step.settings, ...(sampleData && { sampleData }) } };
    };
    const old = aTrigger({ nextAction: { ...sampled('kept'), nextAction: sampled('back', marks) } });
    const now = aTrigger({ nextAction: { ...sampled('kept', marks), nextAction: sampled('gone', marks) } });
    const change = await applyOperation(
      aFlowWithDraft({ version: aDraft({ trigger: now }) }),
      'USE_AS_DRAFT',
      { versionId: 'version_1' },
      { findVersion: () => Promise.resolve({ ...source, trigger: old }) },
    );
    expect(findStep(change.version.trigger, 'kept')?.settings).toMatchObject({ sampleData: marks });
    expect(findStep(change.version.trigger, 'back')?.settings).not.toHaveProperty('sampleData');
    expect(change.sampleData).toEqual({ kind: 'forget', stepNames: ['gone'] });
  });

  it('makes a new draft when the latest version is locked, also of that very version', async () => {
    const current = aFlowWithDraft({ version: source });
    const change = await applyOperation(current, 'USE_AS_DRAFT', { versionId: 'version_1' }, { findVersion });
    const version = { id: 'version_2', state: 'DRAFT', displayName, trigger, notes };
    expect(change).toMatchObject({ version, isNewVersion: true });
  });

  it('changes nothing when that version is the draft', async () => {
    const current = aFlowWithDraft();
    const change = await applyOperation(current, 'USE_AS_DRAFT', { versionId: current.version.id });
    expect(change.version).toBe(current.version);
  });

  it('does not find a version of another flow', async () => {
    const change = applyOperation(aFlowWithDraft(), 'USE_AS_DRAFT', { versionId: 'version_7' }, { findVersion });
    await expect(change).rejects.toThrow(new EntityNotFoundError('flow_version', 'version_7'));
  });
});

describe('CHANGE_NAME', () => {
  it.each([
    ['the draft', aFlowWithDraft(), { id: aDraft().id }, false],
    ['a new draft of a locked version', lockedFlow(), { id: 'version_2', state: 'DRAFT' }, true],
  ])('names %s', async (_what, current, version, isNewVersion) => {
    const change = await applyOperation(current, 'CHANGE_NAME', { displayName: 'Other' });
    expect(change).toMatchObject({ version: { ...version, displayName: 'Other' }, isNewVersion });
  });

  it('changes nothing when that is its name', async () => {
    const current = lockedFlow({ displayName: 'Same' });
    expect((await applyOperation(current, 'CHANGE_NAME', { displayName: 'Same' })).version).toBe(current.version);
  });

  it.each([[{}], [{ displayName: ' ' }], [{ displayName: 'x'.repeat(256) }], [{ displayName: 1 }]])(
    'refuses %j',
    (request) => expect(() => parseFlowOperation({ type: 'CHANGE_NAME', request })).toThrow(/displayName/),
  );
});

describe('SAVE_SAMPLE_DATA', () => {
  const time = OPERATION_TIME.toISOString();
  const inner = aCodeStep({ settings: { ...aCodeStep().settings, sampleData: { inputSavedAt: 'earlier' } } });
  const current = aFlowWithDraft({ version: aDraft({ trigger: aTrigger({ nextAction: loop('loop', [], [inner]) }) }) });

  it.each([
    ['step_1', 'OUTPUT', { inputSavedAt: 'earlier', outputSavedAt: time }],
    ['step_1', 'INPUT', { inputSavedAt: time }],
    ['loop', 'OUTPUT', { outputSavedAt: time }],
    ['trigger', 'OUTPUT', { outputSavedAt: time }],
  ])('of %s %s marks the step and gives the payload to be kept', async (stepName, type, marks) => {
    const change = await applyOperation(current, 'SAVE_SAMPLE_DATA', { stepName, type, payload: null });
    expect(findStep(change.version.trigger, stepName)?.settings.sampleData).toEqual(marks);
    expect(change.sampleData).toEqual({ kind: 'save', stepName, type, payload: null });
  });

  it('leaves the other steps as they were', async () => {
    const request = { stepName: 'loop', type: 'INPUT', payload: [1] };
    const { version } = await applyOperation(current, 'SAVE_SAMPLE_DATA', request);
    expect(findStep(version.trigger, 'step_1')).toEqual(inner);
    expect(version.trigger.settings).toEqual(current.version.trigger.settings);
  });

  it('refuses a step that there is none of, and a trigger that is not chosen yet', async () => {
    const trigger = { name: 'trigger', displayName: '', type: 'EMPTY', settings: {}, valid: false } as const;
    const empty = aFlowWithDraft({ version: aDraft({ trigger }) });
    const save = (stepName: string) =>
      applyOperation(empty, 'SAVE_SAMPLE_DATA', { stepName, type: 'INPUT', payload: 1 });
    await expect(save('step_9')).rejects.toThrow(
      new FlowOperationInvalidError('There is no step "step_9" in the flow.'),
    );
    await expect(save('trigger')).rejects.toThrow(/trigger is not chosen yet/);
  });

  it.each([
    [{ type: 'INPUT', payload: 1 }, 'stepName'],
    [{ stepName: 'step_1', payload: 1 }, 'type'],
    [{ stepName: 'step_1', type: 'BOTH', payload: 1 }, 'type'],
    [{ stepName: 'step_1', type: 'INPUT' }, 'payload'],
  ])('refuses %j for its %s', (request, member) => {
    expect(() => parseFlowOperation({ type: 'SAVE_SAMPLE_DATA', request })).toThrow(
      expect.objectContaining({ params: { errors: [expect.objectContaining({ path: `/request/${member}` })] } }),
    );
  });
});

import { FlowInUseError } from '../../errors/flow-in-use.error';
import { FlowSchemaUnsupportedError } from '../../errors/flow-schema-unsupported.error';
import { FlowVersionInvalidError } from '../../errors/flow-version-invalid.error';
import { InvalidRequestError } from '../../errors/invalid-request.error';
import { PermissionDeniedError } from '../../errors/permission-denied.error';
import { aPrincipal } from '../../testing/a-principal';
import { aCodeStep, aFlowWithDraft, aDraft, aTrigger } from '../testing/a-draft';
import { applyOperation as apply, foundInvalid, OPERATION_TIME as now } from '../testing/an-operation-context';
import type { PopulatedFlow } from '../flow';
import { parseFlowOperation, permissionOfOperation } from './flow-operation';

const importRequest = {
  displayName: 'New',
  trigger: aTrigger({ nextAction: aCodeStep() }),
  schemaVersion: '20',
  notes: [{ id: 'note_1', content: 'Read me.' }],
};
const locked = (changes: Partial<PopulatedFlow> = {}): PopulatedFlow => {
  const version = aDraft({ state: 'LOCKED' });
  return aFlowWithDraft({ version, publishedVersionId: version.id, status: 'ENABLED', ...changes });
};

describe('parseFlowOperation', () => {
  it.each([
    ['a list', [], ''],
    ['nothing', {}, '/type'],
    ['an unknown type', { type: 'DROP', request: {} }, '/type'],
    ['a type that is a list', { type: ['CHANGE_STATUS'], request: { status: 'ENABLED' } }, '/type'],
    ['a request of null', { type: 'CHANGE_STATUS', request: null }, '/request'],
    ['no request', { type: 'LOCK_AND_PUBLISH' }, '/request'],
    ['an unknown status', { type: 'CHANGE_STATUS', request: { status: 'enabled' } }, '/request/status'],
    ['an unknown field', { type: 'LOCK_AND_PUBLISH', request: { now: true } }, '/request/now'],
    ['an unknown field beside', { type: 'LOCK_AND_PUBLISH', request: {}, id: 1 }, '/id'],
    ['an import of nothing', { type: 'IMPORT_FLOW', request: {} }, '/request/displayName'],
    ['a blank name', { type: 'IMPORT_FLOW', request: { ...importRequest, displayName: ' ' } }, '/request/displayName'],
    ['notes that are text', { type: 'IMPORT_FLOW', request: { ...importRequest, notes: 'x' } }, '/request/notes'],
    [
      'a trigger that is text',
      { type: 'IMPORT_FLOW', request: { ...importRequest, trigger: 'x' } },
      '/request/trigger',
    ],
  ])('refuses %s and says where', (_what, body, path) => {
    expect.assertions(2);
    try {
      parseFlowOperation(body);
    } catch (error) {
      expect(error).toBeInstanceOf(InvalidRequestError);
      expect((error as InvalidRequestError).params['errors']).toContainEqual(expect.objectContaining({ path }));
    }
  });

  it.each(['21', '1.5', 'x', ''])('refuses schema version %j', (schemaVersion) => {
    const body = { type: 'IMPORT_FLOW', request: { ...importRequest, schemaVersion } };
    expect(() => parseFlowOperation(body)).toThrow(FlowSchemaUnsupportedError);
  });

  it('takes an older schema version whose structure is good', () => {
    const body = { type: 'IMPORT_FLOW', request: { ...importRequest, schemaVersion: '1', notes: undefined } };
    expect(parseFlowOperation(body).brings?.nextAction?.name).toBe('step_1');
  });

  it('gives an operation that no one else may apply within a minute of a change', async () => {
    const current = aFlowWithDraft({ updated: now, updatedBy: 'user_1' });
    await expect(apply(current, 'CHANGE_STATUS', { status: 'DISABLED' })).rejects.toThrow(FlowInUseError);
  });

  it('gives an operation that says on the flow who changed it and when, and counts the revision up', async () => {
    const { flow } = await apply(locked({ revision: 7 }), 'CHANGE_STATUS', { status: 'DISABLED' });
    expect(flow).toMatchObject({ updated: now, updatedBy: 'user_2', revision: 8 });
    expect(flow).not.toHaveProperty('version');
  });

  it('gives an operation that leaves the flow as it was when it changes nothing', async () => {
    const { flow } = await apply(locked({ revision: 7 }), 'CHANGE_STATUS', { status: 'ENABLED' });
    expect(flow).toMatchObject({ updated: locked().updated, updatedBy: locked().updatedBy, revision: 7 });
  });
});

describe('IMPORT_FLOW', () => {
  it('replaces the definition of the draft', async () => {
    const { version, isNewVersion } = await apply(aFlowWithDraft(), 'IMPORT_FLOW', importRequest);
    expect(isNewVersion).toBe(false);
    expect(version).toMatchObject({
      id: aDraft().id,
      displayName: 'New',
      notes: [{ id: 'note_1', content: 'Read me.' }],
      valid: true,
      state: 'DRAFT',
      updated: now,
      updatedBy: 'user_2',
    });
  });

  it('makes a new draft when the latest version is locked, and leaves the flow published', async () => {
    const { flow, version, isNewVersion } = await apply(locked(), 'IMPORT_FLOW', importRequest);
    expect(isNewVersion).toBe(true);
    expect(version).toMatchObject({ id: 'version_2', state: 'DRAFT', created: now });
    expect(flow).toMatchObject({ status: 'ENABLED', publishedVersionId: aDraft().id });
  });

  it('takes a definition that is not valid, as a draft that is not', async () => {
    const { version } = await apply(aFlowWithDraft(), 'IMPORT_FLOW', importRequest, { check: foundInvalid });
    expect(version.valid).toBe(false);
  });
});

describe('LOCK_AND_PUBLISH', () => {
  it('locks the draft, publishes it and enables the flow', async () => {
    const { flow, version } = await apply(aFlowWithDraft(), 'LOCK_AND_PUBLISH', {});
    expect(version).toMatchObject({ state: 'LOCKED', updatedBy: 'user_2' });
    expect(flow).toMatchObject({ status: 'ENABLED', publishedVersionId: version.id });
  });

  it.each([
    ['nothing', {}, null],
    ['why', { note: ' Larger orders need an approval. ' }, 'Larger orders need an approval.'],
    ['only blanks', { note: ' ' }, null],
  ])('notes who publishes and says %s', async (_what, request, note) => {
    const published = { by: 'user_2', at: now, note };
    for (const current of [aFlowWithDraft(), locked({ status: 'DISABLED' })])
      expect((await apply(current, 'LOCK_AND_PUBLISH', request)).version.published).toEqual(published);
  });

  it('leaves a draft that is made from a published version unpublished', async () => {
    const published = { by: 'user_2', at: now, note: null };
    const current = locked({ version: { ...locked().version, published } });
    const { version } = await apply(current, 'CHANGE_NAME', { displayName: 'New' });
    expect(version).not.toHaveProperty('published');
  });

  it('refuses a draft that is not valid, and names the steps', async () => {
    const attempt = apply(aFlowWithDraft(), 'LOCK_AND_PUBLISH', {}, { check: foundInvalid });
    await expect(attempt).rejects.toThrow(FlowVersionInvalidError);
    await expect(attempt).rejects.toMatchObject({
      params: { problems: [{ stepName: 'step_1', message: 'It does not compile.' }] },
    });
  });

  it('publishes the latest locked version again when there is nothing new', async () => {
    const current = locked({ status: 'DISABLED', publishedVersionId: 'older' });
    const { flow, version } = await apply(current, 'LOCK_AND_PUBLISH', {});
    expect(version).toMatchObject({ id: current.version.id, updatedBy: current.version.updatedBy });
    expect(flow).toMatchObject({ status: 'ENABLED', publishedVersionId: current.version.id });
  });

  it('publishes what was locked invalid and has become valid as a version of its own', async () => {
    const version = aDraft({ state: 'LOCKED', valid: false });
    const change = await apply(aFlowWithDraft({ version }), 'LOCK_AND_PUBLISH', {});
    expect(change).toMatchObject({
      isNewVersion: true,
      flow: { publishedVersionId: 'version_2' },
      version: { id: 'version_2', state: 'LOCKED', valid: true },
    });
  });

  it('refuses a locked version that is not valid any more', async () => {
    const attempt = apply(locked({ status: 'DISABLED' }), 'LOCK_AND_PUBLISH', {}, { check: foundInvalid });
    await expect(attempt).rejects.toThrow(FlowVersionInvalidError);
  });
});

describe('CHANGE_STATUS', () => {
  it('changes nothing when the flow has the status', async () => {
    const current = locked();
    expect(await apply(current, 'CHANGE_STATUS', { status: 'ENABLED' })).toEqual({
      flow: current,
      version: current.version,
      isNewVersion: false,
    });
  });

  it('publishes the draft of a flow that was never published', async () => {
    const { flow, version } = await apply(aFlowWithDraft(), 'CHANGE_STATUS', { status: 'ENABLED' });
    expect(version.state).toBe('LOCKED');
    expect(flow).toMatchObject({ status: 'ENABLED', publishedVersionId: version.id });
  });

  it('refuses to enable a flow that was never published and is not valid', async () => {
    const attempt = apply(aFlowWithDraft(), 'CHANGE_STATUS', { status: 'ENABLED' }, { check: foundInvalid });
    await expect(attempt).rejects.toThrow(FlowVersionInvalidError);
  });

  it('needs the permission to publish where it publishes, and nowhere else', async () => {
    const principal = aPrincipal({ [aFlowWithDraft().projectId]: 'OPERATOR' });
    const enable = (current: PopulatedFlow) => apply(current, 'CHANGE_STATUS', { status: 'ENABLED' }, { principal });
    await expect(enable(aFlowWithDraft())).rejects.toThrow(PermissionDeniedError);
    expect((await enable(aFlowWithDraft({ publishedVersionId: 'older' }))).flow.status).toBe('ENABLED');
  });

  it.each([
    ['CHANGE_STATUS', 'UPDATE_FLOW_STATUS'],
    ['LOCK_AND_PUBLISH', 'WRITE_FLOW'],
    ['ADD_NOTE', 'WRITE_FLOW'],
    ['NONSENSE', 'WRITE_FLOW'],
  ])('and other operations: %s needs %s', (type, permission) => {
    expect(permissionOfOperation({ type, request: {} })).toBe(permission);
    expect(permissionOfOperation([type])).toBe('WRITE_FLOW');
  });

  it('enables what is published, and leaves a newer draft a draft', async () => {
    const current = aFlowWithDraft({ publishedVersionId: 'older' });
    const { flow, version } = await apply(current, 'CHANGE_STATUS', { status: 'ENABLED' }, { check: foundInvalid });
    expect(flow).toMatchObject({ status: 'ENABLED', publishedVersionId: 'older' });
    expect(version.state).toBe('DRAFT');
  });

  it('disables and keeps what is published', async () => {
    const { flow } = await apply(locked(), 'CHANGE_STATUS', { status: 'DISABLED' });
    expect(flow).toMatchObject({ status: 'DISABLED', publishedVersionId: aDraft().id, updated: now });
  });
});

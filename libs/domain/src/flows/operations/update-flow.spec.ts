import { EntityNotFoundError } from '../../errors/entity-not-found.error';
import { FlowOperationInvalidError } from '../../errors/flow-operation-invalid.error';
import type { Flow } from '../flow';
import { aDraft, aFlowWithDraft } from '../testing/a-draft';
import { applyOperation, OPERATION_TIME } from '../testing/an-operation-context';
import { parseFlowOperation, type OperationContext } from './flow-operation';
import { MAX_METADATA_BYTES } from './update-metadata';

// The operations that change a flow and leave its versions unchanged.

const surroundings: Partial<OperationContext> = {
  hasFolder: (folderId) => Promise.resolve(folderId === 'folder_1'),
  hasMember: (userId) => Promise.resolve(userId === 'user_3'),
};
const metadataOf = (bytes: number): object => ({ a: 'x'.repeat(bytes - '{"a":""}'.length) });

describe('an operation on the flow itself', () => {
  it.each<[string, object, Partial<Flow>]>([
    ['CHANGE_FOLDER', { folderId: 'folder_1' }, {}],
    ['CHANGE_FOLDER', { folderId: null }, { folderId: 'folder_0' }],
    ['UPDATE_METADATA', { metadata: { team: ['a', null] } }, {}],
    ['UPDATE_METADATA', { metadata: metadataOf(MAX_METADATA_BYTES) }, {}],
    ['UPDATE_METADATA', { metadata: null }, { metadata: { a: 1 } }],
    ['UPDATE_MINUTES_SAVED', { timeSavedPerRun: 0 }, {}],
    ['UPDATE_MINUTES_SAVED', { timeSavedPerRun: 1_000_000 }, {}],
    ['UPDATE_MINUTES_SAVED', { timeSavedPerRun: null }, { timeSavedPerRun: 2.5 }],
    ['UPDATE_OWNER', { ownerId: 'user_3' }, {}],
  ])('%s %j changes just that', async (type, request, before) => {
    const current = aFlowWithDraft({ ...before, version: aDraft({ state: 'LOCKED' }) });

    const change = await applyOperation(current, type, request, surroundings);

    const { version, ...flow } = current;
    const stamp = { updated: OPERATION_TIME, updatedBy: 'user_2', revision: 2 };
    expect(change).toEqual({ flow: { ...flow, ...request, ...stamp }, version, isNewVersion: false });
  });

  it.each<[string, object, Partial<Flow>]>([
    ['CHANGE_FOLDER', { folderId: null }, {}],
    ['CHANGE_FOLDER', { folderId: 'folder_0' }, { folderId: 'folder_0' }],
    ['UPDATE_METADATA', { metadata: null }, {}],
    ['UPDATE_METADATA', { metadata: { b: 1, a: [2] } }, { metadata: { a: [2], b: 1 } }],
    ['UPDATE_MINUTES_SAVED', { timeSavedPerRun: 5 }, { timeSavedPerRun: 5 }],
    ['UPDATE_OWNER', { ownerId: 'user_0' }, { ownerId: 'user_0' }],
  ])('%s %j changes nothing when it is so already', async (type, request, before) => {
    const current = aFlowWithDraft(before);
    expect((await applyOperation(current, type, request, surroundings)).flow).toBe(current);
  });

  it('does not find a folder of another project', async () => {
    const change = applyOperation(aFlowWithDraft(), 'CHANGE_FOLDER', { folderId: 'folder_2' }, surroundings);
    await expect(change).rejects.toThrow(new EntityNotFoundError('folder', 'folder_2'));
  });

  it('does not hand the flow to somebody without a role in the project', async () => {
    const change = applyOperation(aFlowWithDraft(), 'UPDATE_OWNER', { ownerId: 'user_4' }, surroundings);
    await expect(change).rejects.toThrow(
      new FlowOperationInvalidError('The user "user_4" has no role in the project.'),
    );
  });

  it.each<[string, object, string, RegExp]>([
    ['CHANGE_FOLDER', {}, '/request/folderId', /required/],
    ['CHANGE_FOLDER', { folderId: 1 }, '/request/folderId', /string/],
    ['UPDATE_METADATA', {}, '/request/metadata', /required/],
    ['UPDATE_METADATA', { metadata: [] }, '/request/metadata', /object/],
    ['UPDATE_METADATA', { metadata: metadataOf(MAX_METADATA_BYTES + 1) }, '/request/metadata', /16384 bytes/],
    ['UPDATE_METADATA', { metadata: { a: 'é'.repeat(MAX_METADATA_BYTES / 2) } }, '/request/metadata', /16384 bytes/],
    ['UPDATE_MINUTES_SAVED', {}, '/request/timeSavedPerRun', /required/],
    ['UPDATE_MINUTES_SAVED', { timeSavedPerRun: '5' }, '/request/timeSavedPerRun', /number/],
    ['UPDATE_MINUTES_SAVED', { timeSavedPerRun: Infinity }, '/request/timeSavedPerRun', /number/],
    ['UPDATE_MINUTES_SAVED', { timeSavedPerRun: -0.1 }, '/request/timeSavedPerRun', /between/],
    ['UPDATE_MINUTES_SAVED', { timeSavedPerRun: 1_000_000.1 }, '/request/timeSavedPerRun', /between/],
    ['UPDATE_OWNER', {}, '/request/ownerId', /required/],
    ['UPDATE_OWNER', { ownerId: null }, '/request/ownerId', /string/],
    ['UPDATE_OWNER', { ownerId: 'user_3', notify: true }, '/request/notify', /known/],
  ])('%s refuses %j at %s', (type, request, path, message) => {
    expect(() => parseFlowOperation({ type, request })).toThrow(
      expect.objectContaining({
        params: { errors: [{ path, message: expect.stringMatching(message) as unknown }] },
      }),
    );
  });
});

import type { Principal } from '../identity/principal';
import { aPrincipal } from '../testing/a-principal';
import { codeStep, webhookTrigger } from '../testing/a-flow-version';
import { newFlow } from './new-flow';

const now = new Date('2026-01-01');
const ids = { flowId: 'flow_1', versionId: 'version_1' };

describe('newFlow', () => {
  it('is disabled, unpublished, and has an empty draft that is not valid', () => {
    const principal = aPrincipal({ project_1: 'EDITOR' }, { userId: 'user_1' });
    const { flow, version } = newFlow({ projectId: 'project_1', displayName: 'Mine' }, principal, ids, now);
    expect(flow).toMatchObject({
      status: 'DISABLED',
      publishedVersionId: null,
      externalId: 'flow_1',
      ownerId: 'user_1',
    });
    expect(version).toMatchObject({ state: 'DRAFT', valid: false, updatedBy: 'user_1', displayName: 'Mine' });
    expect(version.trigger).toEqual({
      name: 'trigger',
      displayName: 'Select Trigger',
      type: 'EMPTY',
      settings: {},
      valid: false,
    });
  });

  it('belongs to the creator of the API key that made it, and names the key as its author', () => {
    const user = aPrincipal('ADMIN', { userId: 'user_1' });
    const principal: Principal = { ...user, kind: 'api_key', apiKeyId: 'key_1', expiresAt: null };
    const { flow, version } = newFlow({ projectId: 'p', displayName: 'x', externalId: 'ext' }, principal, ids, now);
    expect(flow).toMatchObject({ ownerId: 'user_1', externalId: 'ext' });
    expect(version.updatedBy).toBe('api_key:key_1');
  });

  it('begins with the definition it is given, under its own name, and says which template that came from', () => {
    const principal = aPrincipal('ADMIN', { userId: 'user_1' });
    const definition = {
      trigger: webhookTrigger([codeStep('step_1')]),
      notes: [{ id: 'note_1', content: 'Mind this.' }],
    };
    const request = { projectId: 'p', displayName: 'Mine', folderId: 'folder_1', templateId: 'template_1', definition };

    const { flow, version } = newFlow(request, principal, ids, now);

    expect(flow).toMatchObject({ folderId: 'folder_1', templateId: 'template_1', status: 'DISABLED' });
    expect(version).toMatchObject({ ...definition, displayName: 'Mine', state: 'DRAFT', valid: false });
  });
});

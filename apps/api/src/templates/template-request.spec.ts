import { InvalidRequestError } from '@millrace/domain';
import { webhookTrigger } from '@millrace/domain/testing';
import { parseTemplateRequest, TEMPLATE_SCHEMA } from './template-request';

const template = { displayName: 'Mine', trigger: webhookTrigger([]), schemaVersion: '20', notes: [] };

const pathsRefused = (body: unknown): string[] => {
  try {
    parseTemplateRequest(body);
    return [];
  } catch (error) {
    if (!(error instanceof InvalidRequestError)) throw error;
    return (error.params['errors'] as { path: string }[]).map(({ path }) => path);
  }
};

describe('a request for a template', () => {
  it('brings a definition', () =>
    expect(parseTemplateRequest({ projectId: 'p', name: 'Start here', template })).toMatchObject({
      projectId: 'p',
      name: 'Start here',
      source: { definition: { displayName: 'Mine', trigger: { type: 'PIECE_TRIGGER' } } },
    }));

  it('may be what a flow was exported as', () => {
    const exported = { name: 'Mine', description: '', template, created: '2026-11-22T00:00:00.000Z' };
    expect(parseTemplateRequest({ projectId: 'p', ...exported })).toMatchObject({
      name: 'Mine',
      source: { definition: { displayName: 'Mine' } },
    });
  });

  it('may be what a template was read as', () => {
    const times = { created: '2026-11-22T00:00:00.000Z', updated: '2026-11-22T00:00:00.000Z' };
    const read = { id: 't', projectId: 'p', name: 'Mine', description: '', template, ...times };
    expect(parseTemplateRequest(read)).toMatchObject({ projectId: 'p', name: 'Mine' });
    expect(Object.keys(TEMPLATE_SCHEMA['properties'] as object)).toEqual(expect.arrayContaining(Object.keys(read)));
  });

  it('or names a flow, and may name its version', () => {
    expect(parseTemplateRequest({ projectId: 'p', flowId: 'flow_1' }).source).toEqual({ flowId: 'flow_1' });
    expect(parseTemplateRequest({ projectId: 'p', flowId: 'flow_1', versionId: 'v' }).source).toEqual({
      flowId: 'flow_1',
      versionId: 'v',
    });
  });

  it('may leave its project out, for whoever has only one', () =>
    expect(parseTemplateRequest({ template }).projectId).toBeUndefined());

  it.each([
    ['that is a list', [], ['']],
    ['of a project that is a list', { template, projectId: ['p'] }, ['/projectId']],
    ['of nothing', { projectId: 'p' }, ['/template']],
    ['of a definition and a flow', { projectId: 'p', template, flowId: 'f' }, ['/template']],
    ['of a version of no flow', { projectId: 'p', template, versionId: 'v' }, ['/versionId']],
    ['with a flow that is a list', { projectId: 'p', flowId: ['f'] }, ['/flowId']],
    ['with a blank name', { projectId: 'p', template, name: ' ' }, ['/name']],
    ['with a long name', { projectId: 'p', template, name: 'x'.repeat(256) }, ['/name']],
    ['with a long description', { projectId: 'p', template, description: 'x'.repeat(10_001) }, ['/description']],
    ['with an unknown field', { projectId: 'p', template, colour: 'red' }, ['/colour']],
    ['with a definition that is a text', { projectId: 'p', template: 'x' }, ['/template']],
    [
      'with a name missing inside',
      { projectId: 'p', template: { ...template, displayName: '' } },
      ['/template/displayName'],
    ],
  ])('%s is refused', (_what, body, paths) => expect(pathsRefused(body)).toEqual(paths));
});

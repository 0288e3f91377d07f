import { queryOptions } from '@tanstack/react-query';
import { answerOf, DELETE, GET, POST, type Schemas } from '../api/client';
import { keptWithin, queryClient } from '../api/queries';

export type Template = Schemas['TemplateSummary'];

const PAGE_SIZE = 50;

export const templatesQuery = (projectId: string, cursor: string | null) =>
  queryOptions({
    queryKey: ['templates', projectId, cursor],
    queryFn: ({ signal }) => {
      const query = { projectId, cursor: cursor ?? undefined, limit: PAGE_SIZE };
      return answerOf(GET('/api/v1/templates', { params: { query }, signal }));
    },
    placeholderData: keptWithin(projectId),
  });

/** A template with its steps. It never changes. */
export const templateQuery = (id: string) =>
  queryOptions({
    queryKey: ['templates', 'one', id],
    queryFn: ({ signal }) => answerOf(GET('/api/v1/templates/{id}', { params: { path: { id } }, signal })),
    staleTime: Infinity,
  });

const MOST_FOUND = 20;

/** The flows to make a template of, whose names contain the text. */
export const foundFlowsQuery = (projectId: string, name: string) =>
  queryOptions({
    queryKey: ['flows', projectId, 'found', name],
    queryFn: async ({ signal }) => {
      const query = { projectId, name, limit: MOST_FOUND };
      const { data } = await answerOf(GET('/api/v1/flows', { params: { query }, signal }));
      return data.map(({ id, version }) => ({ value: id, label: version.displayName }));
    },
    placeholderData: keptWithin(projectId),
  });

/** Keeps the latest version of a flow as a template. */
export async function createTemplate(body: Schemas['CreateTemplate']): Promise<void> {
  await answerOf(POST('/api/v1/templates', { body }));
  await queryClient.invalidateQueries({ queryKey: ['templates'] });
}

export async function deleteTemplate(id: string): Promise<void> {
  await answerOf(DELETE('/api/v1/templates/{id}', { params: { path: { id } } }));
  await queryClient.invalidateQueries({ queryKey: ['templates'] });
}

/** Makes a flow that starts with the steps of the template, and returns its id. */
export async function flowFrom(template: Template, displayName: string): Promise<string> {
  const body = { projectId: template.projectId, displayName, templateId: template.id };
  const { id } = await answerOf(POST('/api/v1/flows', { body }));
  await queryClient.invalidateQueries({ queryKey: ['flows'] });
  return id;
}

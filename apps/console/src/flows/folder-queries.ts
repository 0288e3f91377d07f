import { queryOptions } from '@tanstack/react-query';
import { answerOf, DELETE, GET, POST, type Schemas } from '../api/client';
import { keptWithin, queryClient } from '../api/queries';
import { readAgain } from './flow-changes';

export type Folder = Schemas['Folder'];

/** In the address and in the API: flows that are in no folder. */
export const NO_FOLDER = 'NULL';

const MOST_FOLDERS = 100;

/** The folders of a project, by name. */
export const foldersQuery = (projectId: string) =>
  queryOptions({
    queryKey: ['folders', projectId],
    queryFn: async ({ signal }): Promise<Folder[]> => {
      const query = { projectId, limit: MOST_FOLDERS };
      const { data } = await answerOf(GET('/api/v1/folders', { params: { query }, signal }));
      return data.toSorted((one, other) => one.displayName.localeCompare(other.displayName));
    },
    placeholderData: keptWithin(projectId),
  });

const foldersAgain = (): Promise<void> => queryClient.invalidateQueries({ queryKey: ['folders'] });

export async function createFolder(projectId: string, displayName: string): Promise<Folder> {
  const folder = await answerOf(POST('/api/v1/folders', { body: { projectId, displayName } }));
  await foldersAgain();
  return folder;
}

export async function renameFolder(id: string, displayName: string): Promise<void> {
  await answerOf(POST('/api/v1/folders/{id}', { params: { path: { id } }, body: { displayName } }));
  await foldersAgain();
}

/** Deletes a folder. Its flows stay, in no folder. */
export async function deleteFolder(id: string): Promise<void> {
  await answerOf(DELETE('/api/v1/folders/{id}', { params: { path: { id } } }));
  await Promise.all([foldersAgain(), readAgain()]);
}

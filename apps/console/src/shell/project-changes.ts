import { answerOf, DELETE, POST, type Schemas } from '../api/client';
import { remember } from '../browser/storage';
import { REMEMBERED_PROJECT } from './project';
import { forgetProjects } from './require-session';

type Project = Schemas['Project'];

// What is changed of projects. The router reads them again at the next address, or when it is told to.

/** Makes a project, in which the person may do everything. */
export async function createProject(displayName: string): Promise<Project> {
  const project = await answerOf(POST('/api/v1/projects', { body: { displayName } }));
  forgetProjects();
  return project;
}

export async function renameProject(id: string, displayName: string): Promise<void> {
  await answerOf(POST('/api/v1/projects/{id}', { params: { path: { id } }, body: { displayName } }));
  forgetProjects();
}

/** Deletes the project with all it has. */
export async function deleteProject(id: string): Promise<void> {
  await answerOf(DELETE('/api/v1/projects/{id}', { params: { path: { id } } }));
  leaveProject();
}

/** Forgets a project in which the person has no role any more. */
export function leaveProject(): void {
  remember(REMEMBERED_PROJECT, null);
  forgetProjects();
}

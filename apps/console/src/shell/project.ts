import { useLocation, useNavigate, useRouteLoaderData, useSearchParams } from 'react-router';
import { remembered, remember } from '../browser/storage';
import type { ShellData } from './require-session';

/** Under which this browser remembers the project that was chosen last. */
export const REMEMBERED_PROJECT = 'project';
/** A page about one thing, which belongs to one project, and the list that the thing is in. */
const DETAIL = /^(\/(?:flows|runs|connections|pieces|settings\/event-destinations))\/./;

export type Permission = ShellData['projects'][number]['permissions'][number];

interface ShownProject {
  projectId: string;
  projects: ShellData['projects'];
  /** Whether the person may do this in the project. What they may not do is not offered. */
  may: (permission: Permission) => boolean;
  /** The same in another project, for a page about one thing, which may be of any. */
  mayIn: (projectId: string, permission: Permission) => boolean;
  /** Shows the same list of another project. */
  choose: (id: string) => void;
}

/** The project whose things the page shows: that of the address, or else the one chosen last in this browser. */
export function useProject(): ShownProject {
  const { projects } = useRouteLoaderData('shell') as ShellData;
  const [search] = useSearchParams();
  const { pathname } = useLocation();
  const navigate = useNavigate();
  const known = (id: string | null) => projects.find((project) => project.id === id)?.id;
  const projectId = known(search.get('projectId')) ?? known(remembered(REMEMBERED_PROJECT)) ?? projects[0]?.id ?? '';
  const choose = (id: string) => {
    remember(REMEMBERED_PROJECT, id);
    void navigate(inProject(DETAIL.exec(pathname)?.[1] ?? pathname, id));
  };
  const mayIn = (id: string, permission: Permission) =>
    projects.find((project) => project.id === id)?.permissions.includes(permission) ?? false;
  const may = (permission: Permission) => mayIn(projectId, permission);
  return { projectId, projects, may, mayIn, choose };
}

/** The address of a list of this project. Tabs may show different projects, so each address names its own. */
export const inProject = (path: string, projectId: string): string =>
  `${path}?${new URLSearchParams({ projectId }).toString()}`;

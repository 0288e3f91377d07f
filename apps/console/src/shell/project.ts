import { useLocation, useNavigate, useRouteLoaderData, useSearchParams } from 'react-router';
import { remembered, remember } from '../browser/storage';
import type { ShellData } from './require-session';

const KEY = 'project';
/** A page about one thing, which belongs to one project, and the list that the thing is in. */
const DETAIL = /^(\/(?:flows|runs))\/./;

interface ShownProject {
  projectId: string;
  projects: ShellData['projects'];
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
  const projectId = known(search.get('projectId')) ?? known(remembered(KEY)) ?? projects[0]?.id ?? '';
  const choose = (id: string) => {
    remember(KEY, id);
    void navigate(inProject(DETAIL.exec(pathname)?.[1] ?? pathname, id));
  };
  return { projectId, projects, choose };
}

/** The address of a list of this project. Tabs may show different projects, so each address names its own. */
export const inProject = (path: string, projectId: string): string =>
  `${path}?${new URLSearchParams({ projectId }).toString()}`;

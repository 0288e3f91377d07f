import { useRouteLoaderData, useSearchParams } from 'react-router';
import { remembered, remember } from '../browser/storage';
import type { ShellData } from './require-session';

const KEY = 'project';

/** The project whose things the page shows: that of the address, or else the one shown last in this browser. */
export function useProject(): { projectId: string; projects: ShellData['projects']; choose: (id: string) => void } {
  const { projects } = useRouteLoaderData('shell') as ShellData;
  const [search, setSearch] = useSearchParams();
  const known = (id: string | null) => projects.find((project) => project.id === id)?.id;
  const projectId = known(search.get('projectId')) ?? known(remembered(KEY)) ?? projects[0]?.id ?? '';
  const choose = (id: string) => {
    remember(KEY, id);
    setSearch({ projectId: id });
  };
  return { projectId, projects, choose };
}

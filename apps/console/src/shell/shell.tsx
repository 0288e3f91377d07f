import { useState } from 'react';
import { Navigate, Outlet, useLocation, useNavigate } from 'react-router';
import { queryClient } from '../api/queries';
import { signOut, usePerson, type Person } from '../api/session';
import type { Command } from '../palette/palette';
import { openDocumentation } from './documentation';
import { NoProjectPage } from './no-project-page';
import { inProject, useProject } from './project';
import { Rail, type RailPage } from './rail';
import type { RailIconName } from './rail-icon';
import { signInAddress } from './require-session';
import styles from './shell.module.css';
import { chooseTheme, THEMES } from './theme';
import { useRailWidth } from './use-rail-width';
import { words } from './words';

interface PageLink {
  path: string;
  name: string;
  icon: RailIconName;
  /** Of the installation. */
  isForAdministrators?: boolean;
}

const PAGES: readonly PageLink[] = [
  { path: '/flows', name: words.flows, icon: 'flows' },
  { path: '/runs', name: words.runs, icon: 'runs' },
  { path: '/failures', name: words.failures, icon: 'failures' },
  { path: '/approvals', name: words.approvals, icon: 'approvals' },
  { path: '/connections', name: words.connections, icon: 'connections' },
  { path: '/templates', name: words.templates, icon: 'templates' },
  { path: '/pieces', name: words.pieces, icon: 'pieces' },
  { path: '/queues', name: words.queues, icon: 'queues', isForAdministrators: true },
  { path: '/settings', name: words.settings, icon: 'settings' },
];

/** What is around every page: the way to the others, the project, and the account. */
export function Shell() {
  const person = usePerson();
  const { pathname, search } = useLocation();
  const { projectId, projects, may } = useProject();
  const navigate = useNavigate();
  const [isNarrow, toggleWidth] = useRailWidth();
  const [failure, setFailure] = useState<unknown>(null);
  const leave = async () => {
    try {
      await signOut();
      queryClient.clear();
    } catch (error) {
      setFailure(error);
    }
  };
  if (!person) return <Navigate to={signInAddress(pathname + search)} replace />;
  const makeFlow = { name: words.newFlow, act: () => void navigate(`${inProject('/flows', projectId)}&new=`) };
  const commands: Command[] = [
    ...(may('WRITE_FLOW') ? [makeFlow] : []),
    ...THEMES.map((theme) => ({ name: words.useThemes[theme], act: () => chooseTheme(theme) })),
    { name: isNarrow ? words.showNames : words.hideNames, act: toggleWidth },
    { name: words.documentation, act: openDocumentation },
    { name: words.signOut, act: () => void leave() },
  ];
  return (
    <div className={styles['shell']} data-narrow={isNarrow || undefined}>
      <a href="#content" className={styles['skip']}>
        {words.skip}
      </a>
      <Rail
        {...{ person, commands, isNarrow }}
        pages={pagesFor(person, projectId)}
        onWidth={toggleWidth}
        signOut={{ failure, onChoose: () => void leave() }}
      />
      {projects.length > 0 ? <Outlet /> : <NoProjectPage />}
    </div>
  );
}

/** The pages that the person may go to, in this project. */
const pagesFor = ({ isPlatformAdministrator }: Person, projectId: string): RailPage[] =>
  PAGES.filter((page) => isPlatformAdministrator || !page.isForAdministrators).map(({ path, name, icon }) => ({
    name,
    icon,
    address: inProject(path, projectId),
  }));

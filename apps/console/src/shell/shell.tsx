import { Navigate, NavLink, Outlet, useLocation } from 'react-router';
import { usePerson, type Person } from '../api/session';
import { AccountMenu } from './account-menu';
import { NoProjectPage } from './no-project-page';
import { signInAddress } from './require-session';
import { inProject, useProject } from './project';
import { ProjectSwitcher } from './project-switcher';
import styles from './shell.module.css';
import { words } from './words';

interface PageLink {
  path: string;
  name: string;
  /** Of the installation. */
  isForAdministrators?: boolean;
}

const PAGES: readonly PageLink[] = [
  { path: '/flows', name: words.flows },
  { path: '/runs', name: words.runs },
  { path: '/failures', name: words.failures },
  { path: '/approvals', name: words.approvals },
  { path: '/connections', name: words.connections },
  { path: '/templates', name: words.templates },
  { path: '/pieces', name: words.pieces },
  { path: '/queues', name: words.queues, isForAdministrators: true },
  { path: '/settings', name: words.settings },
];

/** What is around every page: the way to the others, the project, and the account. */
export function Shell() {
  const person = usePerson();
  const { pathname, search } = useLocation();
  const { projects } = useProject();
  if (!person) return <Navigate to={signInAddress(pathname + search)} replace />;
  return (
    <div className={styles['shell']}>
      <a href="#content" className={styles['skip']}>
        {words.skip}
      </a>
      <nav aria-label={words.main} className={styles['rail']}>
        <span className={styles['brand']}>
          <span aria-hidden="true">◆</span> {words.brand}
        </span>
        {projects.length > 0 && <ProjectSwitcher />}
        <Pages person={person} />
        <AccountMenu person={person} />
      </nav>
      {projects.length > 0 ? <Outlet /> : <NoProjectPage />}
    </div>
  );
}

function Pages({ person: { isPlatformAdministrator } }: { person: Person }) {
  const { projectId } = useProject();
  return (
    <ul className={styles['pages']}>
      {PAGES.filter((page) => isPlatformAdministrator || !page.isForAdministrators).map(({ path, name }) => (
        <li key={path}>
          <NavLink to={inProject(path, projectId)} className={styles['pageLink'] ?? ''}>
            {name}
          </NavLink>
        </li>
      ))}
    </ul>
  );
}

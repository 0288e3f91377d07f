import { Navigate, NavLink, Outlet, useLocation } from 'react-router';
import { usePerson, type Person } from '../api/session';
import type { Destination } from '../palette/palette';
import { AccountMenu } from './account-menu';
import { GoTo } from './go-to';
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
  const { projectId, projects } = useProject();
  if (!person) return <Navigate to={signInAddress(pathname + search)} replace />;
  const pages = pagesFor(person, projectId);
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
        {projects.length > 0 && <GoTo projectId={projectId} pages={pages} />}
        <Pages pages={pages} />
        <AccountMenu person={person} />
      </nav>
      {projects.length > 0 ? <Outlet /> : <NoProjectPage />}
    </div>
  );
}

/** The pages that the person may go to, in this project. */
const pagesFor = ({ isPlatformAdministrator }: Person, projectId: string): Destination[] =>
  PAGES.filter((page) => isPlatformAdministrator || !page.isForAdministrators).map(({ path, name }) => ({
    name,
    address: inProject(path, projectId),
  }));

const Pages = ({ pages }: { pages: readonly Destination[] }) => (
  <ul className={styles['pages']}>
    {pages.map(({ address, name }) => (
      <li key={name}>
        <NavLink to={address} className={styles['pageLink'] ?? ''}>
          {name}
        </NavLink>
      </li>
    ))}
  </ul>
);

import { useEffect, useRef } from 'react';
import { NavLink, useLocation } from 'react-router';
import type { Person } from '../api/session';
import { showCurrent } from '../controls/show-current';
import type { Command, Destination } from '../palette/palette';
import { AccountMenu, type SignOut } from './account-menu';
import { GoTo } from './go-to';
import { useProject } from './project';
import { ProjectSwitcher } from './project-switcher';
import { RailIcon, type RailIconName } from './rail-icon';
import styles from './shell.module.css';
import { words } from './words';

export interface RailPage extends Destination {
  icon: RailIconName;
}

interface RailProps {
  person: Person;
  pages: readonly RailPage[];
  /** What can be done on every page. */
  commands: readonly Command[];
  isNarrow: boolean;
  onWidth: () => void;
  signOut: SignOut;
}

/** The way to all pages, to the other projects, and out. Narrow, it has its icons alone. */
export function Rail({ person, pages, commands, isNarrow, onWidth, signOut }: RailProps) {
  const { projectId, projects } = useProject();
  return (
    <nav aria-label={words.main} className={styles['rail']}>
      <div className={styles['railHead']}>
        <span className={styles['brand']}>
          <span aria-hidden="true">◆</span> <span className={styles['railName']}>{words.brand}</span>
        </span>
        <button
          type="button"
          aria-label={words.wide}
          aria-expanded={!isNarrow}
          title={isNarrow ? words.showNames : words.hideNames}
          className={styles['width']}
          onClick={onWidth}
        >
          <RailIcon name="width" />
        </button>
      </div>
      {projects.length > 0 && <ProjectSwitcher />}
      {projects.length > 0 && <GoTo projectId={projectId} pages={pages} commands={commands} />}
      <Pages pages={pages} isNarrow={isNarrow} />
      <AccountMenu person={person} signOut={signOut} />
    </nav>
  );
}

function Pages({ pages, isNarrow }: { pages: readonly RailPage[]; isNarrow: boolean }) {
  const list = useRef<HTMLUListElement>(null);
  const { pathname } = useLocation();
  // On a phone the pages lie beside each other, and the one that is open may be out of view.
  useEffect(() => showCurrent(list.current), [pathname]);
  return (
    <ul ref={list} className={styles['pages']}>
      {pages.map(({ address, name, icon }) => (
        <li key={name}>
          <NavLink to={address} title={isNarrow ? name : undefined} className={styles['pageLink'] ?? ''}>
            <RailIcon name={icon} /> <span className={styles['railName']}>{name}</span>
          </NavLink>
        </li>
      ))}
    </ul>
  );
}

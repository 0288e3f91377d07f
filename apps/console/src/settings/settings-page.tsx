import { useEffect, useRef, type ReactNode } from 'react';
import { NavLink } from 'react-router';
import { showCurrent } from '../controls/show-current';
import { Page } from '../shell/page';
import { inProject, useProject, type Permission } from '../shell/project';
import styles from './settings.module.css';
import { pageWords as words } from './words';

interface Place {
  path: string;
  name: string;
  /** What a person must be allowed to do to see the page. */
  needs: Permission;
}

export const PLACES = {
  project: { path: '/settings/project', name: words.project, needs: 'READ_PROJECT' },
  members: { path: '/settings/members', name: words.members, needs: 'READ_MEMBER' },
  apiKeys: { path: '/settings/api-keys', name: words.apiKeys, needs: 'WRITE_API_KEY' },
  eventDestinations: {
    path: '/settings/event-destinations',
    name: words.eventDestinations,
    needs: 'WRITE_EVENT_DESTINATION',
  },
  store: { path: '/settings/store', name: words.store, needs: 'READ_FLOW' },
  audit: { path: '/settings/audit', name: words.audit, needs: 'READ_AUDIT' },
  installation: { path: '/settings/installation', name: words.installation, needs: 'READ_PROJECT' },
} as const satisfies Record<string, Place>;

interface SettingsPageProps {
  place: Place;
  actions?: ReactNode;
  children: ReactNode;
}

/** A page of the settings, below the way to the others. What a role may not see is not among them. */
export function SettingsPage({ place, actions, children }: SettingsPageProps) {
  const { may } = useProject();
  const isAllowed = may(place.needs);
  return (
    <Page name={place.name} actions={isAllowed && actions}>
      <SettingsNavigation />
      {isAllowed ? children : <p>{words.notAllowed}</p>}
    </Page>
  );
}

export function SettingsNavigation() {
  const { projectId, may } = useProject();
  const places = useRef<HTMLElement>(null);
  // On a phone the page that is open may be out of view.
  useEffect(() => showCurrent(places.current), []);
  return (
    <nav ref={places} aria-label={words.settings} className={styles['places']}>
      {Object.values(PLACES)
        .filter(({ needs }) => may(needs))
        .map(({ path, name }) => (
          <NavLink key={path} to={inProject(path, projectId)} className={styles['place'] ?? ''}>
            {name}
          </NavLink>
        ))}
    </nav>
  );
}

import { AUDIT_ACTIONS } from '@millrace/domain/browser';
import { useQuery } from '@tanstack/react-query';
import { useSearchParams } from 'react-router';
import { usePerson } from '../api/session';
import { ChoiceField, TextField } from '../controls/field';
import { ExactText } from '../controls/exact-text';
import { Moment } from '../controls/moment';
import { Table } from '../controls/table';
import { PagedList } from '../shell/paged-list';
import { useProject } from '../shell/project';
import { detailWords, targetName, type Names } from './audit-names';
import { namesQuery } from './audit-names-query';
import { auditQuery, type AuditEvent, type AuditFilters } from './audit-queries';
import { PLACES, SettingsPage } from './settings-page';
import styles from './settings.module.css';
import { auditWords as words } from './words';

const ACTIONS = [
  { value: '', label: words.anyAction },
  ...AUDIT_ACTIONS.map((action) => ({ value: action, label: words.actions[action] })),
];
const PLACES_OF_EVENTS = [
  { value: '', label: words.thisProject },
  { value: 'all', label: words.everything },
];

/** The log of who did what. What it is filtered by is in the address. */
export function AuditPage() {
  const { projectId, may } = useProject();
  const [search, setSearch] = useSearchParams();
  const filters = filtersOf(search, projectId);
  const events = useQuery({ ...auditQuery(filters), enabled: may('READ_AUDIT') });
  const { data: names = NO_NAMES } = useQuery({ ...namesQuery(projectId), enabled: may('READ_AUDIT') });
  const filter = (name: string, value: string) =>
    setSearch(
      (before) => {
        const after = new URLSearchParams(before);
        after.delete('cursor');
        if (value) after.set(name, value);
        else after.delete(name);
        return after;
      },
      { replace: name === 'actor' || name === 'targetId' },
    );
  return (
    <SettingsPage place={PLACES.audit}>
      <Filters filters={filters} onFilter={filter} />
      <PagedList query={events} none={isFiltered(filters) ? words.noMatch : words.none}>
        {(all) => (
          <Table name={words.audit} columns={COLUMNS}>
            {all.map((event) => (
              <EventRow key={event.id} {...{ event, names }} />
            ))}
          </Table>
        )}
      </PagedList>
    </SettingsPage>
  );
}

const isFiltered = ({ action, actor, targetId }: AuditFilters): boolean => Boolean(action ?? actor ?? targetId);
const NO_NAMES: Names = new Map();
const COLUMNS = [words.when, words.who, words.what, words.of, words.details, words.from];

interface FiltersProps {
  filters: AuditFilters;
  onFilter: (name: string, value: string) => void;
}

function Filters({ filters, onFilter }: FiltersProps) {
  const isAdministrator = usePerson()?.isPlatformAdministrator ?? false;
  return (
    <div role="search" className={styles['inline']}>
      {isAdministrator && (
        <ChoiceField
          label={words.place}
          value={filters.projectId === undefined ? 'all' : ''}
          choices={PLACES_OF_EVENTS}
          onChoose={(place) => onFilter('of', place)}
        />
      )}
      <ChoiceField
        label={words.what}
        value={filters.action ?? ''}
        choices={ACTIONS}
        onChoose={(action) => onFilter('action', action)}
      />
      <TextField
        label={words.actorId}
        value={filters.actor ?? ''}
        onChange={(event) => onFilter('actor', event.target.value.trim())}
      />
      <TextField
        label={words.targetId}
        value={filters.targetId ?? ''}
        onChange={(event) => onFilter('targetId', event.target.value.trim())}
      />
    </div>
  );
}

function EventRow({ event, names }: { event: AuditEvent; names: Names }) {
  const target = targetName(event, names);
  const ids = Object.values(event.details).filter((value) => value !== null && names.has(value));
  return (
    <tr>
      <td>
        <Moment at={event.created} />
      </td>
      <td title={event.actor}>{names.get(event.actor) ?? words.actor(event.actor)}</td>
      <td>{words.actions[event.action]}</td>
      <td>
        {target !== undefined && (
          <div>
            <ExactText text={target} />
          </div>
        )}
        <code className={target === undefined ? undefined : styles['quiet']}>{event.targetId}</code>
      </td>
      <td title={ids.join(', ') || undefined}>
        <ExactText text={detailWords(event.details, names)} />
      </td>
      <td>{event.address ?? ''}</td>
    </tr>
  );
}

function filtersOf(search: URLSearchParams, projectId: string): AuditFilters {
  return {
    projectId: search.get('of') === 'all' ? undefined : projectId,
    action: AUDIT_ACTIONS.find((action) => action === search.get('action')),
    actor: search.get('actor') ?? undefined,
    targetId: search.get('targetId') ?? undefined,
    cursor: search.get('cursor') ?? undefined,
  };
}

import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link, useSearchParams } from 'react-router';
import { Button } from '../controls/button';
import { ConfirmDialog } from '../controls/confirm-dialog';
import { ChoiceField } from '../controls/field';
import { MenuItem } from '../controls/menu';
import { Moment } from '../controls/moment';
import { RowMenu } from '../controls/row-menu';
import { SearchField } from '../controls/search-field';
import { Table } from '../controls/table';
import { PagedList } from '../shell/paged-list';
import { useProject } from '../shell/project';
import { PLACES, SettingsPage } from './settings-page';
import styles from './settings.module.css';
import { placeOf, removeValue, SCOPES, storeQuery, type StoreEntry } from './store-queries';
import { ValueDialog } from './value-dialog';
import { storeWords as words } from './words';

const SCOPE_CHOICES = [
  { value: '', label: words.anyScope },
  ...SCOPES.map((scope) => ({ value: scope, label: words.scopes[scope] })),
];

/** The values that flows keep between runs. */
export function StorePage() {
  const { projectId, may } = useProject();
  const [search, setSearch] = useSearchParams();
  const [isMaking, setMaking] = useState(false);
  const filters = filtersOf(search);
  const entries = useQuery(storeQuery({ projectId, ...filters }));
  const filter = (name: string, value: string) =>
    setSearch(
      (before) => {
        const after = new URLSearchParams(before);
        after.delete('cursor');
        if (value) after.set(name, value);
        else after.delete(name);
        return after;
      },
      { replace: name === 'key' },
    );
  return (
    <SettingsPage
      place={PLACES.store}
      actions={
        may('WRITE_RUN') && (
          <Button isMain onClick={() => setMaking(true)}>
            {words.newValue}
          </Button>
        )
      }
    >
      <div role="search" className={styles['inline']}>
        <SearchField label={words.wholeKey} value={filters.key ?? ''} onSearch={(key) => filter('key', key)} />
        <ChoiceField
          label={words.scope}
          isLabelHidden
          value={filters.scope ?? ''}
          choices={SCOPE_CHOICES}
          onChoose={(scope) => filter('scope', scope)}
        />
      </div>
      <PagedList query={entries} none={filters.key || filters.scope ? words.noneMatch : words.none}>
        {(all) => <EntryTable entries={all} mayChange={may('WRITE_RUN')} />}
      </PagedList>
      {isMaking && <ValueDialog projectId={projectId} onClose={() => setMaking(false)} />}
    </SettingsPage>
  );
}

interface EntryTableProps {
  entries: readonly StoreEntry[];
  mayChange: boolean;
}

function EntryTable({ entries, mayChange }: EntryTableProps) {
  const [changed, setChanged] = useState<StoreEntry | null>(null);
  const [removed, setRemoved] = useState<StoreEntry | null>(null);
  return (
    <>
      <Table name={words.store} columns={mayChange ? [...COLUMNS, words.actions] : COLUMNS}>
        {entries.map((entry) => (
          <tr key={entry.id}>
            <td>{entry.key}</td>
            <td>
              <EntryScope entry={entry} />
            </td>
            <td>
              <code className={styles['value']}>{shortened(entry.value)}</code>
            </td>
            <td>
              <Moment at={entry.updated} />
            </td>
            {mayChange && (
              <td>
                <RowMenu name={entry.key}>
                  <MenuItem onChoose={() => setChanged(entry)}>{words.open}</MenuItem>
                  <MenuItem onChoose={() => setRemoved(entry)}>{words.remove}</MenuItem>
                </RowMenu>
              </td>
            )}
          </tr>
        ))}
      </Table>
      {changed && <ValueDialog projectId={changed.projectId} entry={changed} onClose={() => setChanged(null)} />}
      {removed && (
        <ConfirmDialog
          title={words.removeTitle(removed.key)}
          verb={words.removeNow}
          onConfirm={() => removeValue(placeOf(removed))}
          onClose={() => setRemoved(null)}
        >
          <p>{words.removeSays}</p>
        </ConfirmDialog>
      )}
    </>
  );
}

const COLUMNS = [words.key, words.scope, words.value, words.changed];

function EntryScope({ entry: { scope, scopeId } }: { entry: StoreEntry }) {
  if (scope === 'PROJECT') return <>{words.scopes[scope]}</>;
  return <Link to={scope === 'FLOW' ? `/flows/${scopeId}` : `/runs/${scopeId}`}>{words.scopes[scope]}</Link>;
}

/** A line of a list shows no more of a value. */
const MOST_CHARACTERS = 200;

const shortened = (value: unknown): string => {
  const text = JSON.stringify(value);
  return text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS)}…` : text;
};

function filtersOf(search: URLSearchParams) {
  return {
    scope: SCOPES.find((scope) => scope === search.get('scope')),
    key: search.get('key') ?? undefined,
    cursor: search.get('cursor') ?? undefined,
  };
}

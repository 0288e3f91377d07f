import { useQuery } from '@tanstack/react-query';
import { Link, useParams, useSearchParams } from 'react-router';
import { ApiError } from '../api/api-error';
import { Button } from '../controls/button';
import { ExactText } from '../controls/exact-text';
import { Pager } from '../controls/pager';
import { Problem } from '../controls/problem';
import { NotFoundPage } from '../shell/not-found-page';
import { Page } from '../shell/page';
import { Comparison } from './comparison';
import { flowQuery, versionsQuery, type FlowAsRead } from './version-queries';
import { VersionTable } from './version-table';
import styles from './versions-page.module.css';
import { words } from './words';

/** The history of a flow: who changed it, when and why, what each change was, and the way back. */
export function VersionsPage() {
  const { id = '' } = useParams();
  const { data, error, refetch } = useQuery(flowQuery(id));
  if (error instanceof ApiError && error.status === 404) return <NotFoundPage />;
  if (!data)
    return (
      <Page name={words.versions}>
        {error ? <Problem error={error} onTryAgain={() => void refetch()} /> : <p role="status">{words.loading}</p>}
      </Page>
    );
  const { displayName } = data.flow.version;
  return (
    <Page name={words.versionsOf(displayName)} actions={<Link to={`/flows/${id}`}>{words.openEditor}</Link>}>
      <nav aria-label={words.way} className={styles['way']}>
        <Link to={`/flows?${new URLSearchParams({ projectId: data.flow.projectId }).toString()}`}>{words.flows}</Link>
        <span aria-hidden="true">›</span>
        <Link to={`/flows/${id}`}>
          <ExactText text={displayName} />
        </Link>
      </nav>
      <History key={id} read={data} />
    </Page>
  );
}

/** Which page is shown and which versions are compared is in the address. */
function History({ read }: { read: FlowAsRead }) {
  const [search, setSearch] = useSearchParams();
  const cursor = search.get('cursor');
  const { data, error, refetch } = useQuery(versionsQuery(read.flow.id, cursor));
  const set = (changes: Record<string, string | null>) =>
    setSearch((before) => {
      const after = new URLSearchParams(before);
      for (const [name, value] of Object.entries(changes))
        if (value === null) after.delete(name);
        else after.set(name, value);
      return after;
    });
  if (!data)
    return error ? <Problem error={error} onTryAgain={() => void refetch()} /> : <p role="status">{words.loading}</p>;
  const { from, to } = comparedVersions(search, read, data.data);
  return (
    <>
      {error && <Problem error={error} onTryAgain={() => void refetch()} />}
      <div className={styles['history']}>
        <div className={styles['list']}>
          <VersionTable read={read} versions={data.data} shown={to} />
          <Pager>
            {cursor !== null && (
              <Button onClick={() => set({ cursor: null, from: null, to: null })}>{words.newer}</Button>
            )}
            {data.next !== null && (
              <Button onClick={() => set({ cursor: data.next, from: null, to: null })}>{words.older}</Button>
            )}
          </Pager>
        </div>
        <Comparison flow={read.flow} versions={data.data} {...{ from, to }} onChoose={set} />
      </div>
    </>
  );
}

/** What the address says, or else the newest version of the page with the one before it. */
function comparedVersions(search: URLSearchParams, { flow }: FlowAsRead, versions: readonly { id: string }[]) {
  const to = search.get('to') ?? versions[0]?.id ?? flow.version.id;
  const before = versions[versions.findIndex(({ id }) => id === to) + 1]?.id;
  return { to, from: search.get('from') ?? before ?? null };
}

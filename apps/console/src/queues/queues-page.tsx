import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { installationQuery } from '../api/installation';
import { usePerson } from '../api/session';
import { Facts } from '../controls/facts';
import { Loading } from '../controls/loading';
import { Moment } from '../controls/moment';
import { Problem } from '../controls/problem';
import { Page } from '../shell/page';
import { FailedJobs } from './failed-jobs';
import { backlogQuery, countsQuery } from './queue-queries';
import styles from './queues-page.module.css';
import { words } from './words';

const STATES = ['waiting', 'active', 'delayed', 'paused', 'failed', 'completed'] as const;
const BOARD = '/admin/queues';

/** What waits in the queues of the installation, for its administrators. */
export function QueuesPage() {
  const isAdministrator = usePerson()?.isPlatformAdministrator ?? false;
  return (
    <Page name={words.queues}>
      {isAdministrator ? (
        <>
          <Board />
          <Counts />
          <Backlog />
          <FailedJobs />
        </>
      ) : (
        <p>{words.notAllowed}</p>
      )}
    </Page>
  );
}

function Board() {
  const { data } = useQuery(installationQuery);
  if (!data) return null;
  if (!data.queueBoardEnabled) return <p className={styles['quiet']}>{words.noBoard}</p>;
  return (
    <p>
      <a href={BOARD} target="_blank" rel="noopener">
        {words.board}
      </a>{' '}
      <span className={styles['quiet']}>{words.boardSays}</span>
    </p>
  );
}

function Counts() {
  const counts = useQuery(countsQuery);
  return (
    <Section name={words.jobs} query={counts}>
      {(loaded) => (
        <Facts facts={STATES.map((state) => ({ name: words.states[state], value: words.count(loaded[state]) }))} />
      )}
    </Section>
  );
}

function Backlog() {
  const backlog = useQuery(backlogQuery);
  return (
    <Section name={words.backlog} query={backlog}>
      {({ runs, held, bytes, oldest, measuredAt }) => (
        <Facts
          facts={[
            { name: words.waiting, value: words.count(runs) },
            { name: words.held, value: words.count(held) },
            { name: words.size, value: words.megabytes(bytes) },
            { name: words.oldest, value: oldest === null ? words.nothingWaits : <Moment at={oldest} /> },
            { name: words.counted, value: measuredAt !== null && <Moment at={measuredAt} /> },
          ]}
        />
      )}
    </Section>
  );
}

interface SectionProps<T> {
  name: string;
  query: UseQueryResult<T>;
  children: (loaded: T) => ReactNode;
}

function Section<T>({ name, query: { data, error, refetch }, children }: SectionProps<T>) {
  return (
    <section className={styles['section']} aria-label={name}>
      <h2>{name}</h2>
      {error && <Problem error={error} onTryAgain={() => void refetch()} />}
      {data === undefined && !error && <Loading />}
      {data !== undefined && children(data)}
    </section>
  );
}

import { queryOptions, useQuery } from '@tanstack/react-query';
import { answerOf, GET, type Schemas } from '../api/client';
import { installationQuery } from '../api/installation';
import { usePerson } from '../api/session';
import { Copyable } from '../controls/copyable';
import { Facts } from '../controls/facts';
import { Loading } from '../controls/loading';
import { Moment } from '../controls/moment';
import { Problem } from '../controls/problem';
import { Status } from '../controls/status';
import { Table } from '../controls/table';
import { PagedList, useCursor } from '../shell/paged-list';
import { PLACES, SettingsPage } from './settings-page';
import styles from './settings.module.css';
import { installationWords as words } from './words';

const PAGE_SIZE = 50;
const REFRESH_MS = 10_000;

/** What this installation is and keeps, and for administrators of it: which workers it has. */
export function InstallationPage() {
  const { data, error, refetch } = useQuery(installationQuery);
  const isAdministrator = usePerson()?.isPlatformAdministrator ?? false;
  return (
    <SettingsPage place={PLACES.installation}>
      {error && <Problem error={error} onTryAgain={() => void refetch()} />}
      {!data && !error && <Loading />}
      {data && <About installation={data} />}
      {isAdministrator && <Workers />}
    </SettingsPage>
  );
}

const About = ({ installation }: { installation: Schemas['Installation'] }) => (
  <>
    <section className={styles['section']} aria-labelledby="address">
      <h2 id="address">{words.address}</h2>
      <p>{words.addressSays}</p>
      <Copyable value={installation.publicUrl} copyWord={words.copyAddress} />
    </section>
    <section className={styles['section']} aria-labelledby="rules">
      <h2 id="rules">{words.rules}</h2>
      <Facts facts={factsOf(installation)} />
    </section>
  </>
);

function factsOf({ version, signUpEnabled, issuerEnabled, retention, limits }: Schemas['Installation']) {
  return [
    { name: words.version, value: version },
    { name: words.signUp, value: signUpEnabled ? words.signUpOpen : words.signUpInvited },
    { name: words.issuer, value: issuerEnabled ? words.yes : words.no },
    { name: words.stepData, value: words.days(retention.stepDataDays) },
    { name: words.runs, value: words.days(retention.runDays) },
    { name: words.audit, value: words.days(retention.auditDays) },
    { name: words.longestRun, value: words.seconds(limits.runSeconds) },
    { name: words.enabledFlows, value: limits.enabledFlows ?? words.noLimit },
  ];
}

const workersQuery = (cursor: string | null) =>
  queryOptions({
    queryKey: ['workers', cursor],
    queryFn: ({ signal }) => {
      const query = { cursor: cursor ?? undefined, limit: PAGE_SIZE };
      return answerOf(GET('/api/v1/worker-machines', { params: { query }, signal }));
    },
    refetchInterval: REFRESH_MS,
  });

const COLUMNS = [words.host, words.status, words.workerVersion, words.concurrency, words.queue, words.heard];

function Workers() {
  const [cursor] = useCursor();
  const workers = useQuery(workersQuery(cursor));
  return (
    <section className={styles['wide']} aria-labelledby="workers">
      <h2 id="workers">{words.workers}</h2>
      <PagedList query={workers} none={words.noWorkers}>
        {(all) => (
          <Table name={words.workers} columns={COLUMNS}>
            {all.map((worker) => (
              <tr key={worker.id}>
                <td>{worker.hostname}</td>
                <td>
                  <Status
                    tone={worker.status === 'ONLINE' ? 'good' : 'bad'}
                    word={worker.status === 'ONLINE' ? words.online : words.offline}
                  />
                </td>
                <td>{worker.version}</td>
                <td>{worker.concurrency}</td>
                <td>{words.queues[worker.queue]}</td>
                <td>
                  <Moment at={worker.lastHeartbeat} />
                </td>
              </tr>
            ))}
          </Table>
        )}
      </PagedList>
    </section>
  );
}

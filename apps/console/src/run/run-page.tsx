import { useQuery } from '@tanstack/react-query';
import type { ComponentProps } from 'react';
import { useParams } from 'react-router';
import { ApiError } from '../api/api-error';
import { lazyPart } from '../controls/lazy-part';
import { Problem } from '../controls/problem';
import { Tabs } from '../controls/tabs';
import { NotFoundPage } from '../shell/not-found-page';
import { Page } from '../shell/page';
import { RunActions } from './run-actions';
import { RunHead } from './run-head';
import { RunJson } from './run-json';
import { RunLogs } from './run-logs';
import { runVersionQuery, type RunDetail, type RunVersion } from './run-queries';
import { failedPath } from './step-results';
import { Timeline } from './timeline';
import { useLiveRun } from './use-live-run';
import { useRunAddress } from './use-run-address';
import { useRunSteps } from './use-run-steps';
import { WholeRun } from './whole-run';
import { words } from './words';

/** One run: how it went, and what each step did. */
export function RunPage() {
  const { id = '' } = useParams();
  const { run, error, refetch } = useLiveRun(id);
  if (error instanceof ApiError && error.status === 404) return <NotFoundPage />;
  if (!run)
    return (
      <Page name={words.run}>
        {error ? <Problem error={error} onTryAgain={() => void refetch()} /> : <p role="status">{words.loading}</p>}
      </Page>
    );
  return <RunView key={id} run={run} error={error} />;
}

function RunView({ run: read, error: failure }: { run: RunDetail; error: unknown }) {
  const { data: version } = useQuery(runVersionQuery(read.flowId, read.flowVersionId));
  const { places } = useRunAddress();
  const { run, isReading, ...steps } = useRunSteps(read, places);
  const failed = run.failedStep && run.steps ? failedPath(run.steps, run.failedStep.name) : null;
  const address = useRunAddress(failed);
  const error = failure ?? steps.error;
  const names = new Map(version?.steps.map(({ name, displayName }) => [name, displayName]));
  const nameOf = (step: string) => names.get(step) ?? step;
  const view = { run, address, nameOf };
  const tabs = [
    {
      id: 'timeline',
      name: words.timeline,
      content: () => (isReading ? reading : <Timeline {...view} version={version} />),
    },
    {
      id: 'canvas',
      name: words.canvas,
      content: () => (isReading ? reading : <CanvasTab {...view} version={version} />),
    },
    {
      id: 'logs',
      name: words.logs,
      content: () => <WholeRun run={run}>{(whole) => <RunLogs {...view} run={whole} />}</WholeRun>,
    },
    {
      id: 'json',
      name: words.json,
      content: () => <WholeRun run={run}>{(whole) => <RunJson run={whole} />}</WholeRun>,
    },
  ];
  const tab = tabs.some((each) => each.id === address.tab) ? address.tab : 'timeline';
  return (
    <Page name={words.runOf(run.flowVersion.displayName)} actions={<RunActions run={run} version={version} />}>
      <RunHead {...view} version={version} failed={failed} />
      {error !== null && <Problem error={error} />}
      <Tabs name={words.views} tabs={tabs} chosen={tab} onChoose={address.chooseTab} />
    </Page>
  );
}

const reading = <p role="status">{words.loading}</p>;

/** The canvas is heavy, and loaded when it is looked at. */
const RunCanvas = lazyPart(async () => (await import('./run-canvas')).RunCanvas, {
  waiting: <p role="status">{words.loadingCanvas}</p>,
});

const CanvasTab = ({
  version,
  ...view
}: Omit<ComponentProps<typeof RunCanvas>, 'version'> & { version?: RunVersion }) =>
  version ? <RunCanvas {...view} version={version} /> : <p role="status">{words.loadingCanvas}</p>;

import { useQuery } from '@tanstack/react-query';
import { Problem } from '../controls/problem';
import { VersionDifferences } from '../version-diff/version-differences';
import styles from './flow-editor.module.css';
import type { Flow } from './flow-requests';
import { unfinishedRunsQuery } from './publish-requests';
import { words } from './panel-words';

/** What a publication changes in what runs, and which runs go on without the change. */
export function PublishPlan({ flow }: { flow: Flow }) {
  const { id, publishedVersionId, version } = flow;
  if (publishedVersionId === null) return <p>{words.firstPublished}</p>;
  return (
    <section aria-label={words.publishChanges} className={styles['plan']}>
      <h3>{words.publishChanges}</h3>
      <VersionDifferences flowId={id} from={publishedVersionId} to={version.id} />
      <UnfinishedRuns flow={flow} />
    </section>
  );
}

function UnfinishedRuns({ flow: { id, projectId } }: { flow: Flow }) {
  const { data, error } = useQuery(unfinishedRunsQuery(projectId, id));
  if (error) return <Problem error={error} />;
  return data ? <p>{words.unfinishedRuns(data.RUNNING, data.PAUSED)}</p> : null;
}

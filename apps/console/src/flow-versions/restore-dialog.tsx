import { useMutation, useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { ApiError } from '../api/api-error';
import { Button } from '../controls/button';
import { Dialog, DialogActions } from '../controls/dialog';
import { Problem } from '../controls/problem';
import { exactTime } from '../controls/time-words';
import { VersionDifferences } from '../version-diff/version-differences';
import { flowQuery, restoreAsDraft, type FlowAsRead, type Version } from './version-queries';
import { words } from './words';

interface RestoreDialogProps {
  flowId: string;
  /** The version that becomes the draft. */
  version: Version;
  onClose: () => void;
}

/** Says what the draft loses before it becomes what a version was. */
export function RestoreDialog({ flowId, version, onClose }: RestoreDialogProps) {
  // What is replaced is what the service has now, and nothing else: the change names the tag of this answer.
  const { data: read, error, isFetching, refetch } = useQuery({ ...flowQuery(flowId), staleTime: 0 });
  const restore = useMutation({
    mutationFn: ({ etag }: FlowAsRead) => restoreAsDraft(flowId, version.id, etag),
    onError: (refused) => (isChanged(refused) ? refetch() : undefined),
  });
  if (restore.isSuccess)
    return (
      <Dialog title={words.restoreTitle} isOpen onClose={onClose}>
        <p role="status">{words.restored}</p>
        <DialogActions>
          <Link to={`/flows/${flowId}`}>{words.openEditor}</Link>
          <Button isMain onClick={onClose}>
            {words.close}
          </Button>
        </DialogActions>
      </Dialog>
    );
  return (
    <Dialog title={words.restoreTitle} isOpen onClose={onClose}>
      {restore.error && <Problem error={restore.error} />}
      {error && <Problem error={error} onTryAgain={() => void refetch()} />}
      {read && <Replaced latest={read.flow.version} />}
      {read && <VersionDifferences key={read.etag} flowId={flowId} from={read.flow.version.id} to={version.id} />}
      <p>{words.stays}</p>
      <DialogActions>
        <Button onClick={onClose}>{words.cancel}</Button>
        <Button isMain disabled={!read || isFetching || restore.isPending} onClick={() => read && restore.mutate(read)}>
          {restore.isPending ? words.restoring : words.restore}
        </Button>
      </DialogActions>
    </Dialog>
  );
}

const Replaced = ({ latest: { state, updated } }: { latest: Pick<Version, 'state' | 'updated'> }) => (
  <p>{state === 'DRAFT' ? words.replaces(exactTime(updated)) : words.makesDraft}</p>
);

/** Somebody else was faster. */
const isChanged = (error: unknown): boolean => error instanceof ApiError && error.status === 412;

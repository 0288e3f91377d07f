import type { RunHead } from '@millrace/domain';

type Ids = Pick<RunHead, 'id' | 'flowId' | 'projectId'>;

/** A line of the log about a run: a sentence, and the ids under which it is found. */
export function lineOfRun({ id, flowId, projectId }: Ids, what: string, ...errors: readonly unknown[]): object {
  const msg = [`Run ${id} ${what}`, ...errors.map(String)].join(': ');
  return { msg, runId: id, flowId, projectId };
}

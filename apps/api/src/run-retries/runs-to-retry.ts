import {
  anotherRun,
  endedRun,
  FileStore,
  FlowRunNotRetryableError,
  FlowRunRepository,
  FlowVersionReader,
  RunIntake,
  type EndedRun,
  type NewRun,
  type PublishedFlow,
  type RunWithRecord,
} from '@millrace/domain';
import { newId } from '@millrace/persistence';
import { Inject, Injectable } from '@nestjs/common';
import { API_SETTINGS, retentionDays, type RetentionSettings } from '../settings/config';

/** Reads ended runs and creates new runs from them, for retries and reruns. */
@Injectable()
export class RunsToRetry {
  constructor(
    private readonly runs: FlowRunRepository,
    private readonly versions: FlowVersionReader,
    private readonly intake: RunIntake,
    private readonly files: FileStore,
    @Inject(API_SETTINGS) private readonly settings: RetentionSettings,
  ) {}

  /** Returns the run with its records. Throws EntityNotFoundError. */
  recorded(runId: string, projectIds: readonly string[] | 'any'): Promise<RunWithRecord> {
    return this.runs.getRecorded(runId, projectIds);
  }

  /** Returns the run as an ended one. Throws the errors of `endedRun`. */
  ended(recorded: RunWithRecord): EndedRun {
    return endedRun(recorded, retentionDays(this.settings));
  }

  /** Returns the run's flow in its present state. Throws FlowRunNotRetryableError when the flow was deleted. */
  async flowOf({ run }: EndedRun): Promise<PublishedFlow> {
    const flow = await this.versions.findPublished(run.flowId);
    if (flow) return flow;
    throw new FlowRunNotRetryableError(run.id, run.status, `The flow of the run ${run.id} was deleted.`);
  }

  /** Returns the id of the flow's published version. Throws FlowRunNotRetryableError when there is none. */
  async publishedVersionOf(ended: EndedRun): Promise<string> {
    const { publishedVersionId } = await this.flowOf(ended);
    if (publishedVersionId !== null) return publishedVersionId;
    const { id, status } = ended.run;
    throw new FlowRunNotRetryableError(id, status, `The flow of the run ${id} has no published version.`);
  }

  /** Returns a new run made from the ended one. */
  another(triggeredBy: string, ended: EndedRun, how: Pick<NewRun, 'flowVersionId'> & Partial<NewRun>): NewRun {
    return anotherRun(ended, { id: newId(), triggeredBy, ...how });
  }

  /**
   * Accepts the run. The files of reused outputs are kept as long as the data of the new run. Returns its id, or that of
   * the run that was accepted with the same key before.
   */
  async start(run: NewRun): Promise<string> {
    const fileIds = (run.kept ?? []).flatMap(({ outputFile }) => (outputFile ? [outputFile.fileId] : []));
    if (fileIds.length > 0) await this.files.keepWithRun(fileIds, run.id);
    return (await this.intake.accept(run)).runId;
  }
}

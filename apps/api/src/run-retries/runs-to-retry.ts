import {
  anotherRun,
  endedRun,
  FileStore,
  FlowRunNotRetryableError,
  FlowRunRepository,
  FlowVersionReader,
  principalName,
  RunIntake,
  type EndedRun,
  type NewRun,
  type Principal,
  type PublishedFlow,
  type RunWithRecord,
} from '@millrace/domain';
import { newId } from '@millrace/persistence';
import { Inject, Injectable } from '@nestjs/common';
import { API_SETTINGS, retentionDays, type RetentionSettings } from '../settings/config';

/** Reads ended runs and makes further runs of them: retries and reruns share this. */
@Injectable()
export class RunsToRetry {
  constructor(
    private readonly runs: FlowRunRepository,
    private readonly versions: FlowVersionReader,
    private readonly intake: RunIntake,
    private readonly files: FileStore,
    @Inject(API_SETTINGS) private readonly settings: RetentionSettings,
  ) {}

  /** Throws EntityNotFoundError. */
  recorded(runId: string, projectIds: readonly string[] | 'any'): Promise<RunWithRecord> {
    return this.runs.getRecorded(runId, projectIds);
  }

  /** Throws as `endedRun`. */
  ended(recorded: RunWithRecord): EndedRun {
    return endedRun(recorded, retentionDays(this.settings));
  }

  /** The run's flow as it is now; throws FlowRunNotRetryableError when it was deleted. */
  async flowOf({ run }: EndedRun): Promise<PublishedFlow> {
    const flow = await this.versions.findPublished(run.flowId);
    if (flow) return flow;
    throw new FlowRunNotRetryableError(run.id, run.status, `The flow of the run ${run.id} was deleted.`);
  }

  /** The id of the flow's published version; throws FlowRunNotRetryableError when there is none. */
  async publishedVersionOf(ended: EndedRun): Promise<string> {
    const { publishedVersionId } = await this.flowOf(ended);
    if (publishedVersionId !== null) return publishedVersionId;
    const { id, status } = ended.run;
    throw new FlowRunNotRetryableError(id, status, `The flow of the run ${id} has no published version.`);
  }

  /** Another run of an ended one, in the name of who asks. */
  another(principal: Principal, ended: EndedRun, how: Pick<NewRun, 'flowVersionId'> & Partial<NewRun>): NewRun {
    return anotherRun(ended, { id: newId(), triggeredBy: principalName(principal), ...how });
  }

  /** Accepts the run; the files of the outputs that it takes over stay for as long as its own data. */
  async start(run: NewRun): Promise<void> {
    const fileIds = (run.kept ?? []).flatMap(({ outputFile }) => (outputFile ? [outputFile.fileId] : []));
    if (fileIds.length > 0) await this.files.keepWithRun(fileIds, run.id);
    await this.intake.accept(run);
  }
}

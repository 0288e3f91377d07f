import {
  EntityNotFoundError,
  FileStore,
  FlowRepository,
  FlowRunDataExpiredError,
  FlowRunDataUnreadableError,
  FlowRunRepository,
  isFinal,
  payloadText,
  SampleDataWriter,
  samplesOfRun,
  stepResults,
  stepsOf,
  storableJson,
  withoutRequestLinks,
  type FlowTrigger,
  type Principal,
  type RunSample,
  type RunWithRecord,
  type SampleDataEntry,
} from '@millrace/domain';
import { Inject, Injectable } from '@nestjs/common';
import { text } from 'node:stream/consumers';
import { API_SETTINGS, retentionDays, type RetentionSettings } from '../settings/config';
import type { TakenSamplesDto } from './sample-data.dto';

/** A larger output is no sample that an editor can show. */
const MOST_BYTES = 16 * 1024 * 1024;

/** Takes the data of a run as the sample data of its flow. */
@Injectable()
export class RunSamplesService {
  constructor(
    private readonly flows: FlowRepository,
    private readonly runs: FlowRunRepository,
    private readonly files: FileStore,
    private readonly samples: SampleDataWriter,
    @Inject(API_SETTINGS) private readonly settings: RetentionSettings,
  ) {}

  async take(principal: Principal, flowId: string, runId: string): Promise<TakenSamplesDto> {
    const { id, version } = await this.flows.get(flowId, principal.projectIds);
    const recorded = await this.runs.getRecorded(runId, principal.projectIds);
    if (recorded.run.flowId !== id) throw new EntityNotFoundError('flow_run', runId);
    const taken = new Set<string>();
    for (const sample of this.samplesIn(recorded, version.trigger)) {
      const entry = await this.entryOf(sample, recorded.run.projectId);
      if (entry === null) continue;
      // One after the other: the outputs of a run may be large.
      await this.samples.save(id, [entry]);
      taken.add(sample.stepName);
    }
    const names = Array.from(stepsOf(version.trigger), ({ name }) => name);
    return { stepNames: names.filter((name) => taken.has(name)), missing: names.filter((name) => !taken.has(name)) };
  }

  private samplesIn({ run, data, triggerType }: RunWithRecord, trigger: FlowTrigger): RunSample[] {
    if (!data) throw new FlowRunDataExpiredError(run.id, retentionDays(this.settings));
    if (data.payload === null || !data.recorded) throw new FlowRunDataUnreadableError(run.id);
    const ofTrigger = { type: triggerType, output: JSON.parse(payloadText(data.payload)) as unknown, duration: 0 };
    return samplesOfRun(ofTrigger, stepResults(data.recorded, { runHasEnded: isFinal(run.status) }), trigger);
  }

  /** Returns null for an output that is too large or is gone. */
  private async entryOf(
    { stepName, type, value, file }: RunSample,
    projectId: string,
  ): Promise<SampleDataEntry | null> {
    const json = file ? await this.outputIn(file.fileId, projectId) : JSON.stringify(value ?? null);
    // Everybody who reads the flow reads its samples, also who may not answer the requests of the run.
    return json === null ? null : { stepName, type, payload: withoutRequestLinks(storableJson(json)) };
  }

  private async outputIn(fileId: string, projectId: string): Promise<string | null> {
    const file = await this.files.find(fileId, [projectId]);
    if (!file || file.bytes > MOST_BYTES) return null;
    return text((await this.files.open(fileId, [projectId])).content);
  }
}

import {
  backfillRange,
  Clock,
  FlowNotEnabledError,
  FlowOperationInvalidError,
  FlowRepository,
  IntakeGate,
  ScheduledRuns,
  type FlowSchedule,
  type Principal,
} from '@millrace/domain';
import { Injectable } from '@nestjs/common';
import type { BackfillDto, BackfilledDto } from './backfill.dto';

/** Starts the runs that schedules have missed. */
@Injectable()
export class BackfillsService {
  constructor(
    private readonly flows: FlowRepository,
    private readonly schedules: ScheduledRuns,
    private readonly gate: IntakeGate,
    private readonly clock: Clock,
  ) {}

  /** Starts the runs, which are on the disk when this resolves. */
  async start(principal: Principal, flowId: string, body: BackfillDto): Promise<BackfilledDto> {
    const flow = await this.scheduleOf(principal, flowId);
    const { from, to } = backfillRange(body, this.clock.now());
    const missing = await this.schedules.missing(flow, from, to);
    if (body.dryRun) return { runs: missing.length };
    this.gate.admit(flow.projectId);
    return { runs: await this.schedules.startAt(flow, missing) };
  }

  private async scheduleOf({ projectIds }: Principal, flowId: string): Promise<FlowSchedule> {
    const { id, status } = await this.flows.get(flowId, projectIds);
    if (status !== 'ENABLED') throw new FlowNotEnabledError(id);
    const schedule = await this.schedules.find(id);
    if (!schedule) throw new FlowOperationInvalidError(`The trigger of the flow ${id} is not a schedule.`);
    return schedule;
  }
}

import { FLOW_RUN_STATUSES, type FlowRunStatus } from '@millrace/domain';
import { ApiProperty } from '@nestjs/swagger';

export class ResumedRunDto {
  /** The id of the run. */
  id: string;

  /**
   * The status after the answer. It is `RUNNING` as soon as a worker may take the run; a short run may already have
   * ended.
   */
  @ApiProperty({ enum: FLOW_RUN_STATUSES })
  status: FlowRunStatus;
}

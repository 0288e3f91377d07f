import { FLOW_RUN_STATUSES, type FlowRunStatus } from '@millrace/domain';
import { ApiProperty } from '@nestjs/swagger';

export class ResumedRunDto {
  /** Of the run. */
  id: string;

  /** `RUNNING` as soon as a worker may take it on; a short run may have ended by now. */
  @ApiProperty({ enum: FLOW_RUN_STATUSES })
  status: FlowRunStatus;
}

import { FLOW_OPERATION_TYPES, type FlowOperationType } from '@millrace/domain';
import { ApiProperty } from '@nestjs/swagger';

/** The body of a flow operation. Its request is checked by the operation's own rule. */
export class FlowOperationDto {
  @ApiProperty({ enum: FLOW_OPERATION_TYPES, example: 'CHANGE_STATUS' })
  type: FlowOperationType;

  /** What the operation needs to know. */
  @ApiProperty({ type: 'object', additionalProperties: true, example: { status: 'ENABLED' } })
  request: Record<string, unknown>;
}

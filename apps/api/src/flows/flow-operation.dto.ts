import { FLOW_OPERATION_TYPES, type FlowOperationType } from '@millrace/domain';
import { ApiProperty } from '@nestjs/swagger';

/** The body of a flow operation. The operation's own rule checks `request`. */
export class FlowOperationDto {
  @ApiProperty({ enum: FLOW_OPERATION_TYPES, example: 'CHANGE_STATUS' })
  type: FlowOperationType;

  /** The arguments of the operation. */
  @ApiProperty({ type: 'object', additionalProperties: true, example: { status: 'ENABLED' } })
  request: Record<string, unknown>;
}

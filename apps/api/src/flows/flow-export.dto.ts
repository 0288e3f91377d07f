import { ApiProperty } from '@nestjs/swagger';

/** A flow's definition outside any flow. */
export class FlowDefinitionDto {
  @ApiProperty({ example: 'Welcome new customers' })
  displayName: string;

  /** The head of the chain of steps. */
  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    example: { name: 'trigger', displayName: 'Select Trigger', type: 'EMPTY', settings: {}, valid: false },
  })
  trigger: object;

  /** The version of the flow structure. */
  @ApiProperty({ example: '20' })
  schemaVersion: string;

  /** Remarks pinned to the canvas; they take no part in runs. */
  @ApiProperty({ type: 'array', items: { type: 'object', additionalProperties: true }, example: [] })
  notes: object[];
}

/** An exported flow. */
export class TemplateExportDto {
  @ApiProperty({ example: 'Welcome new customers' })
  name: string;

  description: string;
  template: FlowDefinitionDto;
  created: Date;
}

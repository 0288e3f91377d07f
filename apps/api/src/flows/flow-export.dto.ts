import { ApiProperty } from '@nestjs/swagger';

/** The definition of a flow: its name, trigger, steps and notes. */
export class FlowDefinitionDto {
  @ApiProperty({ example: 'Welcome new customers' })
  displayName: string;

  /** The trigger, which nests the first step in `nextAction`, and so on. */
  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    example: { name: 'trigger', displayName: 'Select Trigger', type: 'EMPTY', settings: {}, valid: false },
  })
  trigger: object;

  /** The version of the flow structure. */
  @ApiProperty({ example: '20' })
  schemaVersion: string;

  /** Notes on the canvas. Runs ignore them. */
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

import { ApiProperty } from '@nestjs/swagger';

/** A part of a value of which only the beginning is shown. */
export class CutDto {
  /** A JSON pointer to the part; empty for the whole value. */
  @ApiProperty({ example: '/lines' })
  path: string;

  @ApiProperty({ enum: ['text', 'list', 'object'] })
  type: 'text' | 'list' | 'object';

  /** How many characters, items or members the whole part has. */
  @ApiProperty({ type: 'integer' })
  count: number;
}

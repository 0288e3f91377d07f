import { SAMPLE_DATA_TYPES, type SampleDataType } from '@millrace/domain';
import { ApiProperty } from '@nestjs/swagger';
import { IsIn, IsString } from 'class-validator';

export class SampleDataQueryDto {
  @IsString()
  flowId: string;

  @ApiProperty({ example: 'step_1' })
  @IsString()
  stepName: string;

  /** What the step was last given, or what it gave. */
  @ApiProperty({ enum: SAMPLE_DATA_TYPES })
  @IsIn(SAMPLE_DATA_TYPES)
  type: SampleDataType;
}

import { SAMPLE_DATA_TYPES, type SampleDataType } from '@millrace/domain';
import { ApiProperty } from '@nestjs/swagger';
import { IsIn, IsString } from 'class-validator';

export class SampleDataQueryDto {
  @IsString()
  flowId: string;

  @ApiProperty({ example: 'step_1' })
  @IsString()
  stepName: string;

  /** Whether to read the step's last input or its last output. */
  @IsIn(SAMPLE_DATA_TYPES)
  type: SampleDataType;
}

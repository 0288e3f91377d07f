import { SAMPLE_DATA_TYPES, type SampleDataType } from '@millrace/domain';
import { ApiProperty } from '@nestjs/swagger';
import { IsIn, IsOptional, IsString } from 'class-validator';
import { CutDto } from '../rest/cut.dto';
import { IsAnyJson } from '../rest/any-json';

export class SampleDataQueryDto {
  @IsString()
  flowId: string;

  /** Whose sample data to read. Without it the answer lists that of all steps, with shortened values. */
  @ApiProperty({ example: 'step_1' })
  @IsOptional()
  @IsString()
  stepName?: string;

  /** Whether to read what steps were last given or what they last gave. Default: `OUTPUT`; in a list, both. */
  @IsOptional()
  @IsIn(SAMPLE_DATA_TYPES)
  type?: SampleDataType;
}

/** The last input or output of a step. */
export class ListedSampleDto {
  stepName: string;

  @ApiProperty({ enum: SAMPLE_DATA_TYPES })
  type: SampleDataType;

  savedAt: Date;

  /** The value with its long parts cut. Absent when the value is too large to be listed. */
  @IsAnyJson({ nullable: true, required: false })
  value?: unknown;

  /** The parts of the value that were cut. */
  cuts: CutDto[];
}

/** The sample data of all steps of a flow. */
export class SampleDataListDto {
  data: ListedSampleDto[];
}

export class TakeSamplesDto {
  /** A run of the flow, of any of its versions. */
  @IsString()
  fromRunId: string;
}

export class TakenSamplesDto {
  /** The steps of the latest version whose sample data is now that of the run. */
  @ApiProperty({ example: ['trigger', 'step_1'] })
  stepNames: string[];

  /** The steps of the latest version for which the run has nothing. Their sample data stayed as it was. */
  @ApiProperty({ example: ['step_2'] })
  missing: string[];
}

import { ApiProperty } from '@nestjs/swagger';
import { ArrayMaxSize, IsArray, IsString, MaxLength } from 'class-validator';
import { IsAnyJson } from '../rest/any-json';
import { CutDto } from '../rest/cut.dto';

const MOST_TEXTS = 50;
const LONGEST_TEXT = 10_000;

export class EvaluateDto {
  /** The step in whose settings the texts stand. They may read the steps before it. */
  @ApiProperty({ example: 'step_1' })
  @IsString()
  stepName: string;

  /** Texts as fields have them, with `{{ }}` around each expression. */
  @ApiProperty({ example: ['Hello {{trigger.body.name}}'] })
  @IsArray()
  @ArrayMaxSize(MOST_TEXTS)
  @IsString({ each: true })
  @MaxLength(LONGEST_TEXT, { each: true })
  expressions: string[];
}

/** What became of one text: `value`, or `message` and `position`. */
export class EvaluationDto {
  /** What a run would give for the sample data. Secrets of connections read `**REDACTED**`. */
  @IsAnyJson({ nullable: true, required: false })
  value?: unknown;

  /** Whether an expression of the text gave nothing (null or undefined), which a run reads as an empty text. */
  isMissing?: boolean;

  /** The parts of the value that are too long to be shown whole. */
  cuts?: CutDto[];

  /** Why the text has no value. A run goes on with an empty text in most of these cases. */
  message?: string;

  /** Where in the text the reason is: an index that counts from 0. */
  @ApiProperty({ type: 'integer' })
  position?: number;
}

export class EvaluationsDto {
  /** One result for each text, in their order. */
  results: EvaluationDto[];
}

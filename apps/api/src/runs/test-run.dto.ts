import { IsAnyJson } from '../rest/any-json';

export class StartTestRunDto {
  /** What the trigger gives; without it, the sample data of the trigger. */
  @IsAnyJson({ nullable: true, required: false, example: { body: { order: 1042 } } })
  payload?: unknown;
}

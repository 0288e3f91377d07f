import { IsAnyJson } from '../rest/any-json';

export class StartTestRunDto {
  /** The output of the trigger. Default: the sample data of the trigger. */
  @IsAnyJson({ nullable: true, required: false, example: { body: { order: 1042 } } })
  payload?: unknown;
}

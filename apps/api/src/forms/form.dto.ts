export class SubmittedFormDto {
  /** The id of the run that was started. */
  id: string;
}

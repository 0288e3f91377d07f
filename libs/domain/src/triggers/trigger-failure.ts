/** Why the trigger of an enabled flow starts no runs. */
export interface TriggerFailure {
  /** One sentence for the author of the flow. */
  message: string;
  /** The first of the failures in a row. */
  since: Date;
  /** How often the trigger has failed in a row; 0 while it only waits because there is no room for runs. */
  failures: number;
}

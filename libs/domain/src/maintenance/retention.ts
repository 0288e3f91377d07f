/** How long what runs did is kept. */
export interface Retention {
  days: number;
  /** In place of the days. */
  hours: number | undefined;
}

/**
 * Two requests for a run of one flow are the same request when their keys are equal. Each kind of request has its own
 * prefix, so that a sender outside cannot take the key of a run that a step or the api starts.
 */
export type RunIdempotencyKey =
  | `webhook:${string}`
  | `draft:${string}`
  | `step:${string}`
  | `retry:${string}`
  | `trigger:${string}`;

/** The key that a webhook sends in its headers. */
export const webhookKey = (value: string): RunIdempotencyKey => `webhook:${value}`;

/** The key that a webhook for the draft sends. An event that was tried on the draft still starts a run of production. */
export const draftKey = (value: string): RunIdempotencyKey => `draft:${value}`;

/** The key of a run that a step starts. */
export const stepRunKey = (stepKey: string): `step:${string}` => `step:${stepKey}`;

/** The key of a retry that a bulk call makes. */
export const retryKey = (value: string): RunIdempotencyKey => `retry:${value}`;

/** The key of a run that a trigger starts, for example of the instant of a schedule or the item of a poll. */
export const triggerRunKey = (value: string): RunIdempotencyKey => `trigger:${value}`;

/** The key of the step that started the run; null when no step started it. */
export const startingStepKey = (key: RunIdempotencyKey | null): string | null =>
  key?.startsWith('step:') ? key.slice('step:'.length) : null;

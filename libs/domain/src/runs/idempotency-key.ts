/**
 * What makes two requests for a run of one flow the same request. Each kind has a name space of its own, so that a
 * sender from outside cannot name, and so take, a run that a step or the api starts.
 */
export type RunIdempotencyKey = `webhook:${string}` | `step:${string}` | `retry:${string}`;

/** From the headers of a webhook. */
export const webhookKey = (value: string): RunIdempotencyKey => `webhook:${value}`;

/** Of a run that a step starts, by the key of the step. */
export const stepRunKey = (stepKey: string): `step:${string}` => `step:${stepKey}`;

/** Of a retry that a bulk call makes. */
export const retryKey = (value: string): RunIdempotencyKey => `retry:${value}`;

/** The key of the step that started the run, when a step did. */
export const startingStepKey = (key: RunIdempotencyKey | null): string | null =>
  key?.startsWith('step:') ? key.slice('step:'.length) : null;

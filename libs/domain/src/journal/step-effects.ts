import type { OpenedRequest } from './step-wait';

/** What a step asks of its run besides its own output. Recorded with the step, so that it holds after a crash too. */
export interface RunEffects {
  /** Added to the tags of the run. */
  tags?: readonly string[];
  /** The answer to whoever waits for the run (a sync webhook). Of a run's responses the first one is its answer. */
  response?: RunResponse;
  /** Requests whose links the step gave away, open from now on; a later step of the same kind waits for the answer. */
  opens?: readonly OpenedRequest[];
  /** The run ends with this step. */
  stop?: { status: 'SUCCEEDED' | 'FAILED'; message?: string };
}

export interface RunResponse {
  status: number;
  headers: Readonly<Record<string, string>>;
  /** JSON, or text as it is. */
  body: unknown;
}

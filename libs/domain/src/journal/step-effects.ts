import type { References } from '../connections/value-references';
import type { OpenedRequest } from './step-wait';

/**
 * What a step changes in its run besides its own output. The step's record contains it, so a crash does not lose it.
 */
export interface RunEffects {
  /** The tags that the step adds to the run. */
  tags?: readonly string[];
  /** The answer to the sender that waits for the run (a sync webhook). The first response of a run is its answer. */
  response?: RunResponse;
  /** The requests whose links the step created. They can be answered from now on; a later step waits for the answer. */
  opens?: readonly OpenedRequest[];
  /** How many bytes the files have that the step wrote. Absent when it wrote none. */
  fileBytes?: number;
  /** Present when the run ends with this step. */
  stop?: { status: 'SUCCEEDED' | 'FAILED'; message?: string };
}

export interface RunResponse {
  status: number;
  headers: Readonly<Record<string, string>>;
  /** A JSON value; a string is sent as text. */
  body: unknown;
  /** The values of connections to which the headers and the body refer. Only what sends the response puts them in. */
  references?: References;
}

import {
  isJsonObject,
  ServiceUnavailableError,
  type JsonText,
  type OutboundHttp,
  type RunEffects,
} from '@millrace/domain';
import { coerceAuth } from './auth';
import { coerceInput, type CoercedInput } from './coerce-input';
import { ActionFailure, type ActionDefinition, type ActionRun, type PieceDefinition } from './piece';
import type { OptionsContext } from './props';
import { StepRequests, stepContext, type PieceServices } from './step-context';

// Runs actions of pieces that are ours.
//
// H1. What a piece does wrong is a value: the call rejects only when the signal was aborted, and then at once, or when
//     something of ours is away (ServiceUnavailableError): the run is then as its records say, and goes on later.
// H2. An action sees its input as its props say, or is not called.
// H3. What an action reaches outside, it reaches through the services given here, under the step's key and signal.

export interface ActionCall {
  pieceName: string;
  pieceVersion: string;
  actionName: string;
  /** With its expressions resolved; `auth` is what the connection holds. */
  input: unknown;
  run: ActionRun;
}

export type ActionResult =
  /** `outputText` is the output as JSON text, written once. */
  | { kind: 'value'; output: unknown; outputText: JsonText; logs: readonly string[]; effects?: RunEffects }
  | { kind: 'failed'; message: string; logs: readonly string[]; effects?: RunEffects; retryAfterMs?: number };

/** Where the host finds the action of a call. */
export interface ActionSource {
  definitionOf(pieceName: string, actionName: string): { piece: PieceDefinition; action: ActionDefinition } | null;
}

export class PieceHost {
  constructor(
    private readonly pieces: ActionSource,
    private readonly services: PieceServices,
  ) {}

  async run(call: ActionCall, signal: AbortSignal): Promise<ActionResult> {
    const requests = new StepRequests();
    const asked = () => ({ logs: requests.logs, ...(requests.effects && { effects: requests.effects }) });
    try {
      const output = await unlessAborted(signal, () => this.execute(call, requests, signal));
      return { kind: 'value', output: output ?? null, outputText: jsonOf(output ?? null), ...asked() };
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof ServiceUnavailableError) throw error; // our trouble, and not the step's
      const retryAfterMs = error instanceof ActionFailure ? error.retryAfterMs : undefined;
      return {
        kind: 'failed',
        message: messageOf(error),
        ...asked(),
        ...(retryAfterMs !== undefined && { retryAfterMs }),
      };
    }
  }

  /** Throws what is wrong with the call, or what the action throws. */
  private async execute(
    { pieceName, actionName, input: given, run }: ActionCall,
    requests: StepRequests,
    signal: AbortSignal,
  ): Promise<unknown> {
    const found = this.pieces.definitionOf(pieceName, actionName);
    if (!found) throw new ActionFailure(`There is no piece ${pieceName} that has the action ${actionName}.`);
    if (!isJsonObject(given)) throw new ActionFailure('The input of the step is not an object.');
    const { action } = found;

    const connection = coerceAuth(action.auth ?? { kind: 'none' }, given['auth']);
    if ('problems' in connection) throw new ActionFailure(connection.problems.join(' '));
    const { auth } = connection;
    const context = stepContext(run, this.services, requests, signal);
    const coerced = await coerceAll(action, given, { auth, http: context.http, signal });
    if ('problems' in coerced) throw new ActionFailure(coerced.problems.join(' '));
    return action.run({ ...context, input: coerced.input, auth });
  }
}

/** The input, with those inputs too that dynamic props ask for. */
async function coerceAll(
  { props }: ActionDefinition,
  given: Readonly<Record<string, unknown>>,
  context: { auth: unknown; http: OutboundHttp; signal: AbortSignal },
): Promise<CoercedInput> {
  const coerced = coerceInput(props, given);
  if ('problems' in coerced) return coerced;
  const problems: string[] = [];
  const input = { ...coerced.input };
  for (const [name, prop] of Object.entries(props)) {
    if (prop.kind !== 'dynamic') continue;
    const inner = coerceInput(await prop.props(coerced.input, context satisfies OptionsContext), asObject(input[name]));
    if ('problems' in inner) problems.push(...inner.problems);
    else input[name] = inner.input;
  }
  return problems.length > 0 ? { problems } : { input };
}

const asObject = (value: unknown): Readonly<Record<string, unknown>> => (isJsonObject(value) ? value : {});

/** An action that does not heed its signal is left behind. */
function unlessAborted<T>(signal: AbortSignal, act: () => Promise<T>): Promise<T> {
  signal.throwIfAborted();
  return new Promise<T>((resolve, reject) => {
    const abort = (): void => reject(signal.reason as Error);
    signal.addEventListener('abort', abort, { once: true });
    void act()
      .then(resolve, reject)
      .finally(() => signal.removeEventListener('abort', abort));
  });
}

function jsonOf(output: unknown): JsonText {
  const text = writtenAsJson(output);
  if (text === undefined) throw new ActionFailure('The output of the action is not JSON.');
  return text;
}

/** Undefined for what JSON has no place for: a function, a cycle, a BigInt. */
function writtenAsJson(value: unknown): JsonText | undefined {
  try {
    return JSON.stringify(value) as JsonText | undefined;
  } catch {
    return undefined;
  }
}

function messageOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message === '' ? 'The action failed and did not say why.' : message;
}

import {
  isJsonObject,
  ServiceUnavailableError,
  type JsonText,
  type NewChildRun,
  type OutboundHttp,
  type RunEffects,
  type WaitEnding,
} from '@millrace/domain';
import { coerceAuth } from '../framework/auth';
import { coerceInput, type CoercedInput } from '../framework/coerce-input';
import { jsonOf } from './json-of';
import { ActionFailure, type ActionDefinition, type PieceDefinition } from '../framework/piece';
import type { OptionsContext } from '../framework/props';
import { callerOf, StepRequests, stepContext, type CallingStep, type PieceServices } from './step-context';
import type { AskedWait } from './step-waits';
import type { ChildStart } from '../framework/waiting';

// Runs actions of pieces that are ours.
//
// H1. What a piece does wrong is a value: the call rejects only when the signal was aborted, and then at once, or when
//     something of ours is away (ServiceUnavailableError): the run is then as its records say, and goes on later.
// H2. An action sees its input as its props say, or is not called.
// H3. What an action reaches outside, it reaches through the services given here, under the step's key and signal.
// H4. A wait is begun by whoever records it: until then nothing was started, and a repeated call asks for the same one.

export interface ActionCall extends CallingStep {
  pieceName: string;
  pieceVersion: string;
  actionName: string;
  /** With its expressions resolved; `auth` is what the connection holds. */
  input: unknown;
  /** As the author wrote the input, to say of a missing one which expression gave nothing. */
  written?: unknown;
  /** How the wait ended that the action asked for: it goes on from there. */
  resumed?: WaitEnding;
}

export type ActionResult =
  /** `outputText` is the output as JSON text, written once. */
  | { kind: 'value'; output: unknown; outputText: JsonText; logs: readonly string[]; effects?: RunEffects }
  | { kind: 'waiting'; wait: AskedWait; logs: readonly string[]; effects?: RunEffects }
  | { kind: 'failed'; message: string; logs: readonly string[]; effects?: RunEffects; retryAfterMs?: number };

type Value = Extract<ActionResult, { kind: 'value' }>;
type Waiting = Extract<ActionResult, { kind: 'waiting' }>;

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
    const requests = new StepRequests(call, this.services);
    const asked = () => ({ logs: requests.logs, ...(requests.effects && { effects: requests.effects }) });
    try {
      const done = await unlessAborted(signal, () => this.execute(call, requests, signal));
      return { ...done, ...asked() };
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
    call: ActionCall,
    requests: StepRequests,
    signal: AbortSignal,
  ): Promise<Pick<Value, 'kind' | 'output' | 'outputText'> | Pick<Waiting, 'kind' | 'wait'>> {
    const output = (await this.act(call, requests, signal)) ?? null;
    const asked = requests.waits.askedBy(output);
    if (!asked) return { kind: 'value', output, outputText: jsonOf(output, 'output') };
    if (requests.effects?.stop) throw new ActionFailure('The action asked to wait and to end the run at once.');
    return { kind: 'waiting', wait: { ...asked, child: await this.childOf(asked.child, call) } };
  }

  private async act(call: ActionCall, requests: StepRequests, signal: AbortSignal): Promise<unknown> {
    const { pieceName, actionName, input: given, written, resumed } = call;
    const found = this.pieces.definitionOf(pieceName, actionName);
    if (!found) throw new ActionFailure(`There is no piece ${pieceName} that has the action ${actionName}.`);
    const { action } = found;
    if (resumed && !action.resume) return resumed.kind === 'human' ? resumed.answer : resumed;
    if (!isJsonObject(given)) throw new ActionFailure('The input of the step is not an object.');

    const connection = coerceAuth(action.auth ?? { kind: 'none' }, given['auth'], membersOf(written)['auth']);
    if ('problems' in connection) throw new ActionFailure(connection.problems.join(' '));
    const { auth } = connection;
    const context = stepContext(call, this.services, requests, signal);
    const coerced = await coerceAll(action, { given, written }, { auth, http: context.http, signal });
    if ('problems' in coerced) throw new ActionFailure(coerced.problems.join(' '));
    const whole = { ...context, input: coerced.input, auth };
    return resumed ? action.resume?.(whole, resumed) : action.run(whole);
  }

  private childOf(start: ChildStart | null, call: ActionCall): Promise<NewChildRun> | null {
    if (!start) return null;
    const { flow, payload } = start;
    return this.services.children.prepare({ flow, payload: jsonOf(payload, 'payload') }, callerOf(call));
  }
}

/** The input, with those inputs too that dynamic props ask for. */
async function coerceAll(
  { props }: ActionDefinition,
  { given, written }: { given: Readonly<Record<string, unknown>>; written: unknown },
  context: { auth: unknown; http: OutboundHttp; signal: AbortSignal },
): Promise<CoercedInput> {
  const coerced = coerceInput(props, given, { written });
  if ('problems' in coerced) return coerced;
  const problems: string[] = [];
  const input = { ...coerced.input };
  for (const [name, prop] of Object.entries(props)) {
    if (prop.kind !== 'dynamic') continue;
    const asked = await prop.props(coerced.input, context satisfies OptionsContext);
    const place = { under: name, written: membersOf(written)[name] };
    const inner = coerceInput(asked, membersOf(input[name]), place);
    if ('problems' in inner) problems.push(...inner.problems);
    else input[name] = inner.input;
  }
  return problems.length > 0 ? { problems } : { input };
}

const membersOf = (value: unknown): Readonly<Record<string, unknown>> => (isJsonObject(value) ? value : {});

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

function messageOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message === '' ? 'The action failed and did not say why.' : message;
}

import {
  AS_SHOWN,
  isJsonObject,
  ServiceUnavailableError,
  type AskedWait,
  type JsonText,
  type NewChildRun,
  type RunEffects,
  type WaitEnding,
} from '@millrace/domain';
import { coerceAuth } from '../framework/auth';
import { coerceAll, membersOf } from './coerce-all';
import { jsonOf } from './json-of';
import { ActionFailure, type ActionDefinition, type PieceDefinition } from '../framework/piece';
import { messageOf, unlessAborted } from './piece-calls';
import { callerOf, StepRequests, stepContext, type CallingStep, type PieceServices } from './step-context';
import type { ChildStart } from '../framework/waiting';

// Runs the actions of built-in pieces.
//
// H1. A failing piece gives a value. The call rejects in two cases only. After an abort of the signal it rejects at
//     once. When one of our own services is out of reach it rejects with ServiceUnavailableError, and the run continues
//     later from its records.
// H2. An action is called only with an input that fits its props.
// H3. An action reaches other services only through the services given here, with the step's key and signal.
// H4. The worker begins a wait when it records it. Before that nothing is started, and a repeated call asks for the
//     same wait.

export interface ActionCall extends CallingStep {
  pieceName: string;
  pieceVersion: string;
  actionName: string;
  /** The input with its expressions resolved. Its member `auth` is the value of the connection. */
  input: unknown;
  /** The input as the author wrote it. A message about a missing input quotes its expression from here. */
  written?: unknown;
  /** How the last wait of the step ended. The action continues after that wait. */
  resumed?: WaitEnding;
}

export type ActionResult =
  /** `outputText` is the output as JSON text. */
  | { kind: 'value'; output: unknown; outputText: JsonText; logs: readonly string[]; effects?: RunEffects }
  | { kind: 'waiting'; wait: AskedWait; logs: readonly string[]; effects?: RunEffects }
  | { kind: 'failed'; message: string; logs: readonly string[]; effects?: RunEffects; retryAfterMs?: number };

type Value = Extract<ActionResult, { kind: 'value' }>;
type Waiting = Extract<ActionResult, { kind: 'waiting' }>;

/** Finds the action of a call. */
export interface ActionSource {
  definitionOf(
    pieceName: string,
    actionName: string,
    pieceVersion: string,
  ): { piece: PieceDefinition; action: ActionDefinition } | null;
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
      if (error instanceof ServiceUnavailableError) throw error; // our own service failed, not the step
      const retryAfterMs = error instanceof ActionFailure ? error.retryAfterMs : undefined;
      return {
        kind: 'failed',
        message: messageOf(error),
        ...asked(),
        ...(retryAfterMs !== undefined && { retryAfterMs }),
      };
    }
  }

  /** Rejects with ActionFailure when the call is wrong, and with the error of the action when the action throws. */
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
    const { pieceName, pieceVersion, actionName, input: given, written, resumed } = call;
    const found = this.pieces.definitionOf(pieceName, actionName, pieceVersion);
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
    const { texts = AS_SHOWN } = call;
    return this.services.children.prepare({ flow, payload: texts.hide(jsonOf(payload, 'payload')) }, callerOf(call));
  }
}

import type { CompiledStep } from './compile-version';
import { guestResults, type GuestFunction, type GuestResults } from './expressions/guest-function';
import { resolveTemplate, type ResolvedInput } from './expressions/template';
import type { RunInProgress } from './run-in-progress';
import type { RunScope } from './run-scope';

export type InputResolution =
  ({ kind: 'resolved' } & ResolvedInput) | { kind: 'failed'; message: string } | { kind: 'aborted' };

type Unresolved = Exclude<InputResolution, { kind: 'resolved' }>;

const NO_GUEST: GuestResults = [];

/** Resolves a step's settings. Only expressions that need JavaScript leave this thread, all of a step in one call. */
export async function resolveInput(step: CompiledStep, scope: RunScope, run: RunInProgress): Promise<InputResolution> {
  if (step.problem !== null) return { kind: 'failed', message: step.problem };
  if (step.input.readsConnections && !(await run.readConnections(scope))) return { kind: 'aborted' };
  if (!step.input.guest) return { kind: 'resolved', ...resolveTemplate(step.input, scope, NO_GUEST) };
  const answer = await askGuest(step, step.input.guest, scope, run);
  if (answer.kind !== 'results') return answer;
  return { kind: 'resolved', ...resolveTemplate(step.input, scope, answer.results) };
}

async function askGuest(
  step: CompiledStep,
  guest: GuestFunction,
  scope: RunScope,
  run: RunInProgress,
): Promise<{ kind: 'results'; results: GuestResults } | Unresolved> {
  const call = {
    program: guest.program,
    input: scope.textOf(guest.names),
    run: run.runningStep(scope.pathOf(step.name)),
  };
  const outcome = await run.unlessAborted(() => run.ports.codeRunner.run(call, run.signal));
  if (outcome === null || (outcome.kind === 'failed' && run.signal.aborted)) return { kind: 'aborted' };
  if (outcome.kind === 'failed')
    return { kind: 'failed', message: `The expressions of the step failed: ${outcome.message}` };
  const results = guestResults(guest, outcome.output);
  if (results === null)
    return { kind: 'failed', message: 'The expressions of the step gave something else than results.' };
  return { kind: 'results', results };
}

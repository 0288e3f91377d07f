import type { JsonText } from '@millrace/domain';
import type { CompiledStep } from './compile-version';
import { resolveTemplate, type GuestResults, type ResolvedInput } from './expressions/template';
import type { RunInProgress } from './run-in-progress';
import type { RunScope } from './run-scope';

export type InputResolution =
  ({ kind: 'resolved' } & ResolvedInput) | { kind: 'failed'; message: string } | { kind: 'aborted' };

const NO_GUEST: GuestResults = [];

/** Resolves a step's settings. Only expressions that need JavaScript leave this thread, all of a step in one call. */
export async function resolveInput(step: CompiledStep, scope: RunScope, run: RunInProgress): Promise<InputResolution> {
  if (step.problem !== null) return { kind: 'failed', message: step.problem };
  if (step.input.readsConnections && !(await run.readConnections(scope))) return { kind: 'aborted' };
  const guest = step.input.guest ? await askGuest(step, scope, run) : NO_GUEST;
  if ('kind' in guest) return guest;
  return { kind: 'resolved', ...resolveTemplate(step.input, scope, guest) };
}

async function askGuest(
  step: CompiledStep,
  scope: RunScope,
  run: RunInProgress,
): Promise<GuestResults | Exclude<InputResolution, { kind: 'resolved' }>> {
  const { guest } = step.input;
  if (!guest) return NO_GUEST;
  const call = {
    program: guest.program,
    input: scope.textOf(guest.names),
    run: run.runningStep(scope.pathOf(step.name)),
  };
  const outcome = await run.unlessAborted(() => run.ports.codeRunner.run(call, run.signal));
  if (outcome === null || (outcome.kind === 'failed' && run.signal.aborted)) return { kind: 'aborted' };
  if (outcome.kind === 'failed')
    return { kind: 'failed', message: `The expressions of the step failed: ${outcome.message}` };
  return JSON.parse(outcome.output) as (JsonText | null)[];
}

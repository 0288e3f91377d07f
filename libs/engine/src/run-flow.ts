import type { RunOutcome } from '@millrace/domain';
import { endsTheRun } from './abort-reason';
import type { CompiledFlow } from './compile-version';
import { executeAlone, executeSteps } from './execute-step';
import { failedAt, type Halt } from './halt';
import { JsonValue } from './json-value';
import type { Paused } from './paused';
import { RunInProgress, type ExecutionPorts, type RunToWalk } from './run-in-progress';
import { RunScope } from './run-scope';
import { WebhookOutput } from './webhook-output';

// Walks one run of a flow version from its trigger to its outcome. Owns the meaning of steps and expressions; the
// worker owns claims, segments, deadlines and what becomes of the outcome.
//
// E1. Every result before an effectful step is durable before it starts; its own result before the next step starts.
// E2. A recorded step is never executed again; its recorded output is used. Only the effect in flight may run twice.
// E3. The only waits are on runners, the sink and the clock; time and identity come in as arguments.
// E4. Whatever an author wrote ends in a value: a rejection is trouble of a port, or a bug.
// E5. A wait is on record before it begins, and what is on record is enough to begin it. Only the branches of a router that
//     takes all matches go on beside one.
// E6. Between two turns of the event loop lie a few milliseconds of this code, however long the run is.

/** The run has not ended; whoever holds it next goes on from its records, and this worker writes nothing more. */
export interface Interrupted {
  kind: 'interrupted';
}

/**
 * Resolves with how the run ended, or with what it waits for. The signal's reason is an AbortReason and says what an abort means. Rejects only
 * when a port does, with the run not aborted: the run is as its records say and may be walked again.
 */
export async function runFlow(
  flow: CompiledFlow,
  toWalk: RunToWalk,
  ports: ExecutionPorts,
  signal: AbortSignal,
): Promise<RunOutcome | Paused | Interrupted> {
  const run = new RunInProgress(flow, toWalk, ports, signal);
  const scope = scopeOf(flow, toWalk);
  // What earlier claims recorded may come out again in a message: the secrets to mask are needed from the start.
  if (toWalk.recorded.length > 0 && !(await run.readConnections(scope))) return outcomeOf({ kind: 'aborted' }, run);
  if (toWalk.only) return outcomeOf(await executeAlone(toWalk.only, scope, run), run);
  if (flow.trigger.isEmpty) return outcomeOf(failedAt(flow.trigger, 'The flow has no trigger.', null), run);
  return outcomeOf(await executeSteps(flow.steps, scope, run), run);
}

function scopeOf(flow: CompiledFlow, { id, flowId, projectId, triggerOutput, only }: RunToWalk): RunScope {
  const scope = RunScope.ofRun({
    run: JsonValue.ofValue({ id, flowId, projectId }),
    connections: JsonValue.ofValue({}),
    [flow.trigger.name]:
      typeof triggerOutput === 'string' ? JsonValue.ofText(triggerOutput) : new WebhookOutput(triggerOutput),
  });
  if (only)
    for (const [name, sample] of only.samples) if (name !== only.stepName) scope.set(name, JsonValue.ofText(sample));
  return scope;
}

function outcomeOf(halt: Halt | null, run: RunInProgress): RunOutcome | Paused | Interrupted {
  const { stepsCount, tags, response, signal } = run;
  const left = response ? { stepsCount, tags, response } : { stepsCount, tags };
  if (!halt || halt.kind === 'ended') return { kind: 'succeeded', ...left };
  // What an abort says is said of a run that would only wait, too.
  if (halt.kind === 'aborted' || (halt.kind === 'paused' && signal.aborted))
    return endsTheRun(signal.reason) ? { kind: signal.reason, ...left } : { kind: 'interrupted' };
  if (halt.kind === 'paused') return { kind: 'paused', waits: run.waits.open, ...left };
  const { step, reason } = halt;
  return { kind: 'failed', step: { ...step, message: run.masked(step.message) }, reason, ...left };
}

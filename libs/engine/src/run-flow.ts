import type { RunOutcome } from '@millrace/domain';
import { endsTheRun } from './abort-reason';
import type { CompiledFlow } from './compile-version';
import { executeSteps } from './execute-step';
import { JsonValue } from './json-value';
import { failedAt, RunInProgress, type ExecutionPorts, type Halt, type RunToWalk } from './run-in-progress';
import { RunScope } from './run-scope';

// Walks one run of a flow version from its trigger to its outcome. Owns the meaning of steps and expressions; the
// worker owns claims, segments, deadlines and what becomes of the outcome.
//
// E1. Every result before an effectful step is durable before it starts; its own result before the next step starts.
// E2. A recorded step is never executed again; its recorded output is used. Only the effect in flight may run twice.
// E3. The only waits are on runners, the sink and the clock; time and identity come in as arguments.
// E4. Whatever an author wrote ends in a value: a rejection is trouble of a port, or a bug.
// E5. Between two turns of the event loop lie a few milliseconds of this code, however long the run is.

/** The run has not ended; whoever holds it next goes on from its records, and this worker writes nothing more. */
export interface Interrupted {
  kind: 'interrupted';
}

/**
 * Resolves with how the run ended. The signal's reason is an AbortReason and says what an abort means. Rejects only
 * when a port does, with the run not aborted: the run is as its records say and may be walked again.
 */
export async function runFlow(
  flow: CompiledFlow,
  toWalk: RunToWalk,
  ports: ExecutionPorts,
  signal: AbortSignal,
): Promise<RunOutcome | Interrupted> {
  const run = new RunInProgress(flow, toWalk, ports, signal);
  if (flow.trigger.isEmpty) return outcomeOf(failedAt(flow.trigger, 'The flow has no trigger.', null), run);

  const { id, flowId, projectId, triggerOutput } = toWalk;
  const scope = RunScope.ofRun({
    run: JsonValue.ofValue({ id, flowId, projectId }),
    connections: JsonValue.ofValue({}),
    [flow.trigger.name]: JsonValue.ofText(triggerOutput),
  });
  return outcomeOf(await executeSteps(flow.steps, scope, run), run);
}

function outcomeOf(halt: Halt | null, { stepsCount, signal }: RunInProgress): RunOutcome | Interrupted {
  if (!halt) return { kind: 'succeeded', stepsCount };
  if (halt.kind === 'failed') return { kind: 'failed', step: halt.step, reason: halt.reason, stepsCount };
  return endsTheRun(signal.reason) ? { kind: signal.reason, stepsCount } : { kind: 'interrupted' };
}

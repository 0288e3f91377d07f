import type { CompiledFlow } from './compile/compile-version';
import { executeAlone, executeSteps } from './steps/execute-step';
import { JsonValue } from './outputs/json-value';
import { WebhookOutput } from './outputs/webhook-output';
import type { ExecutionPorts } from './ports/execution-ports';
import { ABORTED, failedAt, type Halt } from './run/halt';
import { exitOf, type RunExit } from './run/run-exit';
import { RunScope } from './run/run-scope';
import type { RunToWalk } from './run/run-to-walk';
import { RunWalk } from './run/run-walk';

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

/**
 * Resolves with how the walk left the run: with its outcome, with what it waits for, or before either. The signal's reason
 * is an AbortReason and says what an abort means. Rejects only when a port does, with the run not aborted: the run is as
 * its records say and may be walked again.
 */
export async function runFlow(
  flow: CompiledFlow,
  toWalk: RunToWalk,
  ports: ExecutionPorts,
  signal: AbortSignal,
): Promise<RunExit> {
  const run = new RunWalk(flow, toWalk, ports, signal);
  return exitOf(await walkToHalt(run, scopeOf(flow, toWalk)), run);
}

async function walkToHalt(run: RunWalk, scope: RunScope): Promise<Halt | null> {
  const { trigger, steps } = run.flow;
  const { recorded, only } = run.run;
  // What earlier claims recorded may come out again in a message: the secrets to mask are needed from the start.
  if (recorded.length > 0 && !(await run.readConnections(scope))) return ABORTED;
  if (only) return executeAlone(only, scope, run);
  if (trigger.isEmpty) return failedAt(trigger, 'The flow has no trigger.', null);
  return executeSteps(steps, scope, run);
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

import type { CompiledFlow } from './compile/compile-version';
import { executeAlone, executeSteps } from './steps/execute-step';
import { JsonValue } from './outputs/json-value';
import { triggerEntry } from './outputs/webhook-output';
import type { ExecutionPorts } from './ports/execution-ports';
import { ABORTED, failedAt, type Halt } from './run/halt';
import { ConnectionsOfRun } from './run/connections-of-run';
import { exitOf, type RunExit } from './run/run-exit';
import { RunScope } from './run/run-scope';
import type { RunToWalk } from './run/run-to-walk';
import { RunWalk } from './run/run-walk';
import { revealedRun } from './run/revealed-run';

// Walks one run of a flow version from its trigger to its outcome. The engine owns the meaning of steps and
// expressions. The worker owns claims, segments, deadlines, and what happens after the outcome.
//
// E1. All earlier results are durable before a step with an effect starts. Its own result is durable before the next
//     step starts.
// E2. A recorded step is never executed again, because its recorded output is used. Only the effect that was under way
//     when a worker was lost may run twice.
// E3. The engine waits only for the runners, the sink, the clock and the other ports. It gets time and identity as
//     arguments.
// E4. Nothing that an author wrote makes the engine reject. A rejection means that a port failed, or that there is a
//     bug.
// E5. A wait is on record before it begins, and its record is enough to begin it. While a step waits, only the other
//     branches of a router that takes all matches continue.
// E6. Nothing that is recorded, or stored by a piece, has a value of a connection. It refers to the value, which is put
//     back when the run goes on.
// E7. The engine yields to the event loop every few milliseconds, however long the run is.

/**
 * Walks the run and resolves with how the walk left it: with the run's outcome, with its waits, or interrupted. The
 * reason of an abort must be an AbortReason. The promise rejects only when a port rejects and the run is not aborted;
 * the run can then be walked again from its records.
 */
export async function runFlow(
  flow: CompiledFlow,
  toWalk: RunToWalk,
  ports: ExecutionPorts,
  signal: AbortSignal,
): Promise<RunExit> {
  const connections = new ConnectionsOfRun(ports.connections, toWalk);
  const revealed = await revealedRun(toWalk, flow, connections.texts).catch((error: unknown) => {
    if (signal.aborted) return null;
    throw error;
  });
  const run = new RunWalk(flow, { run: revealed ?? toWalk, connections }, ports, signal);
  return exitOf(revealed ? await walkToHalt(run, scopeOf(flow, revealed)) : ABORTED, run);
}

async function walkToHalt(run: RunWalk, scope: RunScope): Promise<Halt | null> {
  const { trigger, steps } = run.flow;
  const { recorded, only } = run.run;
  // A message may repeat data that an earlier claim recorded, so the secrets to mask are needed before the first step.
  if (recorded.length > 0 && !(await run.readConnections(scope))) return ABORTED;
  if (only) return executeAlone(only, scope, run);
  if (trigger.isEmpty) return failedAt(trigger, 'The flow has no trigger.', null);
  return executeSteps(steps, scope, run);
}

function scopeOf(flow: CompiledFlow, { id, flowId, projectId, triggerOutput, only }: RunToWalk): RunScope {
  const scope = RunScope.ofRun({
    run: JsonValue.ofValue({ id, flowId, projectId }),
    connections: JsonValue.ofValue({}),
    [flow.trigger.name]: triggerEntry(triggerOutput),
  });
  if (only)
    for (const [name, sample] of only.samples) if (name !== only.stepName) scope.set(name, JsonValue.ofText(sample));
  return scope;
}

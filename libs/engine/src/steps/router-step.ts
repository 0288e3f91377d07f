import type { JsonText, RecordedStep, RouterBranch, StepRecord } from '@millrace/domain';
import type { CompiledRouter } from '../compile-version';
import { evaluateBranches } from '../expressions/conditions';
import { failedAt, type Halt } from '../halt';
import { JsonValue } from '../json-value';
import { resolveInput } from '../resolve-input';
import type { ExecuteSteps, RunInProgress } from '../run-in-progress';
import type { RunScope } from '../run-scope';

/** The evaluation of each branch, or why there is none. */
type Evaluation = { held: readonly boolean[] } | { halt: Halt };

/**
 * A router is finished when its conditions are evaluated; its children come after it, in the scope it stands in. Where
 * all matches are taken, a branch that waits does not keep the others from going on.
 */
export async function executeRouter(
  step: CompiledRouter,
  scope: RunScope,
  run: RunInProgress,
  executeSteps: ExecuteSteps,
): Promise<Halt | null> {
  const recorded = run.recordedAt(scope.pathOf(step.name));
  const isFinished = recorded?.status === 'SUCCEEDED' || recorded?.status === 'FAILED';
  const evaluation = isFinished ? replay(step, recorded, scope, run) : await evaluate(step, scope, run);
  if ('halt' in evaluation) return evaluation.halt;

  let paused: Halt | null = null;
  for (const [index, children] of step.children.entries()) {
    if (!evaluation.held[index]) continue;
    const halt = await executeSteps(children, scope, run);
    if (!step.takesAllMatches || (halt && halt.kind !== 'paused')) return halt;
    paused ??= halt;
  }
  return paused;
}

async function evaluate(step: CompiledRouter, scope: RunScope, run: RunInProgress): Promise<Evaluation> {
  const startedAt = run.ports.clock.elapsedMs();
  const place = { path: scope.pathOf(step.name), type: 'ROUTER' } as const;
  const input = await resolveInput(step, scope, run);
  const record = { ...place, duration: run.durationSince(startedAt) };
  if (input.kind === 'aborted') return { halt: await run.abort(record) };
  if (input.kind === 'failed') return { halt: await fail(step, run, record, input.message) };

  const held = evaluateBranches(branchesIn(input.text));
  const output = outputOf(step, held);
  await run.record({
    ...place,
    duration: run.durationSince(startedAt),
    status: 'SUCCEEDED',
    input: run.inputOnRecord(input.recordedText),
    output,
  });
  scope.set(step.name, JsonValue.ofText(output));
  return { held };
}

function replay(step: CompiledRouter, recorded: RecordedStep, scope: RunScope, run: RunInProgress): Evaluation {
  run.notePassed(recorded);
  if (recorded.status === 'FAILED') return { halt: failedAt(step, recorded.errorMessage ?? 'The step failed.', null) };
  scope.set(step.name, JsonValue.ofValue(recorded.output));
  const { branches } = recorded.output as { branches: { evaluation: boolean }[] };
  return { held: branches.map(({ evaluation }) => evaluation) };
}

async function fail(
  step: CompiledRouter,
  run: RunInProgress,
  record: Omit<StepRecord, 'status'>,
  message: string,
): Promise<Halt> {
  await run.record({ ...record, status: 'FAILED', errorMessage: message });
  return failedAt(step, message, null);
}

const branchesIn = (input: JsonText): RouterBranch[] => (JSON.parse(input) as { branches: RouterBranch[] }).branches;

function outputOf(step: CompiledRouter, held: readonly boolean[]): JsonText {
  const branches = step.branchNames.map((branchName, index) => ({
    branchName,
    branchIndex: index + 1,
    evaluation: held[index],
  }));
  return JSON.stringify({ branches });
}

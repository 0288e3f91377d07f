import { storableJson, type RecordedStep, type StepRecord } from '@millrace/domain';
import type { CodeOutcome } from '../code-runner';
import type { CompiledCodeStep, CompiledPieceStep } from '../compile-version';
import { JsonValue } from '../json-value';
import { resolveInput } from '../resolve-input';
import { failedAt, type Halt, type RunInProgress } from '../run-in-progress';
import type { RunScope } from '../run-scope';

// What code and piece steps have in common: resolve, try, perhaps try again, record.

export type ActionStep = CompiledCodeStep | CompiledPieceStep;

/** One try. A rejection is our own trouble, not the step's. */
export type Attempt = (input: string) => Promise<CodeOutcome>;

const MOST_ATTEMPTS = 4;

export async function executeAction(
  step: ActionStep,
  scope: RunScope,
  run: RunInProgress,
  attempt: Attempt,
): Promise<Halt | null> {
  const startedAt = run.ports.clock.elapsedMs();
  const place = { path: scope.pathOf(step.name), type: step.type === 'CODE' ? 'CODE' : 'ACTION' } as const;

  const input = await resolveInput(step, scope, run);
  if (input.kind === 'aborted') return run.abort({ ...place, duration: run.durationSince(startedAt) });
  if (input.kind === 'failed')
    return fail(step, scope, run, { ...place, duration: run.durationSince(startedAt) }, input.message);

  const { outcome, attempts } = await tryUntilDone(step, run, () => attempt(input.text));
  const record = {
    ...place,
    duration: run.durationSince(startedAt),
    input: input.recordedText,
    ...(attempts > 1 && { attempts }),
    ...(outcome && outcome.logs.length > 0 && { logs: [...outcome.logs] }),
  };
  if (outcome === null) return run.abort(record);
  if (outcome.kind === 'failed') return fail(step, scope, run, record, outcome.message);

  const output = storableJson(outcome.output);
  await run.record({ ...record, status: 'SUCCEEDED', output });
  scope.set(step.name, JsonValue.ofText(output));
  return null;
}

/** A recorded step is as good as executed: the run goes on, or ends, as it did then. */
export function replayAction(
  step: ActionStep,
  recorded: RecordedStep,
  scope: RunScope,
  run: RunInProgress,
): Halt | null {
  run.notePassed(recorded);
  const failed = recorded.status === 'FAILED';
  scope.set(step.name, JsonValue.ofValue(failed ? null : recorded.output));
  return failed && !step.continuesOnFailure ? failedAt(step, recorded.errorMessage ?? 'The step failed.', null) : null;
}

/** No outcome: the run was aborted. */
async function tryUntilDone(
  step: ActionStep,
  run: RunInProgress,
  attempt: () => Promise<CodeOutcome>,
): Promise<{ outcome: CodeOutcome | null; attempts: number }> {
  const most = step.retriesOnFailure ? MOST_ATTEMPTS : 1;
  for (let attempts = 1; ; attempts++) {
    const outcome = await run.unlessAborted(attempt);
    if (outcome === null || (outcome.kind === 'failed' && run.signal.aborted)) return { outcome: null, attempts };
    if (outcome.kind === 'value' || attempts === most) return { outcome, attempts };
    const waitMs = run.ports.limits.retryBaseMs * 2 ** (attempts - 1);
    await run.unlessAborted(() => run.ports.clock.sleep(waitMs, run.signal));
    if (run.signal.aborted) return { outcome: null, attempts };
  }
}

async function fail(
  step: ActionStep,
  scope: RunScope,
  run: RunInProgress,
  record: Omit<StepRecord, 'status'>,
  message: string,
): Promise<Halt | null> {
  await run.record({ ...record, status: 'FAILED', errorMessage: message });
  scope.set(step.name, JsonValue.ofValue(null));
  return step.continuesOnFailure ? null : failedAt(step, message, null);
}

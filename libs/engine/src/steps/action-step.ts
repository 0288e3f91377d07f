import { storableJson, type JsonText, type RecordedStep, type StepRecord } from '@millrace/domain';
import type { CompiledCodeStep, CompiledPieceStep } from '../compile-version';
import { failedAt, haltBy, type Halt } from '../halt';
import { JsonValue } from '../json-value';
import type { PieceOutcome } from '../piece-runner';
import { resolveInput } from '../resolve-input';
import type { RunInProgress } from '../run-in-progress';
import type { RunScope } from '../run-scope';
import { awaitingRetry, tryOnce, tryRepeatedly, type Tried } from './attempts';

// What code and piece steps have in common: resolve, try, perhaps try again, record.

export type ActionStep = CompiledCodeStep | CompiledPieceStep;

export async function executeAction(
  step: ActionStep,
  scope: RunScope,
  run: RunInProgress,
  attempt: (input: JsonText) => Promise<PieceOutcome>,
): Promise<Halt | null> {
  const place = { path: scope.pathOf(step.name), type: step.type === 'CODE' ? 'CODE' : 'ACTION' } as const;
  const earlier = awaitingRetry(run.recordedAt(place.path));
  const startedAt = run.ports.clock.elapsedMs() - (earlier?.duration ?? 0);

  const input = await resolveInput(step, scope, run);
  if (input.kind === 'aborted') return run.abort({ ...place, duration: run.durationSince(startedAt) });
  if (input.kind === 'failed')
    return fail(step, scope, run, { ...place, duration: run.durationSince(startedAt) }, input.message);

  const tryIt = (): Promise<PieceOutcome> => attempt(input.text);
  const tried = step.retriesOnFailure
    ? await tryRepeatedly(run, tryIt, earlier, (failed) => ({
        ...recordOf(place, startedAt, input.recordedText, failed, run),
        errorMessage: failed.outcome.message,
      }))
    : await tryOnce(run, tryIt);
  const { outcome } = tried;
  const record = recordOf(place, startedAt, input.recordedText, tried, run);
  if (outcome === null) return run.abort(record);
  if (outcome.effects) run.take(outcome.effects);
  if (outcome.kind === 'failed')
    return haltBy(step, outcome.effects, await fail(step, scope, run, record, outcome.message));

  const output = storableJson(outcome.output);
  const tooLarge = outputLimitReached(output, run.ports.limits.outputBytes);
  if (tooLarge !== null) return fail(step, scope, run, record, tooLarge);
  await run.record({ ...record, status: 'SUCCEEDED', output });
  scope.set(step.name, JsonValue.ofText(output));
  return haltBy(step, outcome.effects, null);
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
  const ownHalt =
    failed && !step.continuesOnFailure ? failedAt(step, recorded.errorMessage ?? 'The step failed.', null) : null;
  return haltBy(step, recorded.effects, ownHalt);
}

function recordOf(
  place: Pick<StepRecord, 'path' | 'type'>,
  startedAt: number,
  input: JsonText,
  { outcome, attempts }: Tried,
  run: RunInProgress,
): Omit<StepRecord, 'status'> {
  return {
    ...place,
    duration: run.durationSince(startedAt),
    input,
    ...(attempts > 1 && { attempts }),
    ...(outcome && outcome.logs.length > 0 && { logs: [...outcome.logs] }),
    ...(outcome?.effects && { effects: outcome.effects }),
  };
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

/** A character of JSON text has at most three bytes, so most outputs need not be measured. */
function outputLimitReached(output: JsonText, mostBytes: number): string | null {
  if (output.length * 3 <= mostBytes || Buffer.byteLength(output) <= mostBytes) return null;
  return `The output size limit is ${mostBytes} bytes per step, and this output is larger.`;
}

import {
  storableJson,
  type JsonText,
  type OutputFile,
  type RecordedStep,
  type RunEffects,
  type StepRecord,
  type StepWait,
} from '@millrace/domain';
import type { CompiledCodeStep, CompiledPieceStep } from '../compile-version';
import { failedAt, haltBy, PAUSED, type Halt } from '../halt';
import { isOver } from '../json-size';
import { JsonValue } from '../json-value';
import type { PieceOutcome } from '../piece-runner';
import { resolveInput } from '../resolve-input';
import type { RunInProgress } from '../run-in-progress';
import type { RunScope } from '../run-scope';
import { stepWait, type Noted } from '../waits-of-run';
import { awaitingRetry, tryOnce, tryRepeatedly, type Tried } from './attempts';

// What code and piece steps have in common: resolve, try, perhaps try again, record. A step that waited is resolved and
// tried in the same way when its wait has ended; its record keeps what was there before the wait.

export type ActionStep = CompiledCodeStep | CompiledPieceStep;
type Place = Pick<StepRecord, 'path' | 'type'>;

export async function executeAction(
  step: ActionStep,
  scope: RunScope,
  run: RunInProgress,
  attempt: (input: JsonText) => Promise<PieceOutcome>,
): Promise<Halt | null> {
  const place: Place = { path: scope.pathOf(step.name), type: step.type === 'CODE' ? 'CODE' : 'ACTION' };
  const recorded = run.recordedAt(place.path);
  const waited = recorded?.wait && run.waits.beforeItsWait(place.path);
  const earlier = awaitingRetry(recorded);
  const startedAt = run.ports.clock.elapsedMs() - ((earlier ?? waited)?.duration ?? 0);

  const input = await resolveInput(step, scope, run);
  if (input.kind !== 'resolved') {
    const record = { ...place, duration: run.durationSince(startedAt), ...(waited && withWhatWas(waited, null)) };
    return input.kind === 'aborted' ? run.abort(record) : fail(step, scope, run, record, input.message);
  }
  const recordedInput = run.inputOnRecord(input.recordedText);
  if (!run.storage.hasRoomFor(recordedInput)) return failOverStorage(step, run, place, run.durationSince(startedAt));

  const tryIt = (): Promise<PieceOutcome> => attempt(input.text);
  const tried = step.retriesOnFailure
    ? await tryRepeatedly(run, tryIt, { stepKey: run.runningStep(place.path).stepKey, earlier }, (failed) => ({
        ...recordOf(place, startedAt, recordedInput, failed, run, waited),
        ...(waited && { wait: waited.wait }),
        errorMessage: failed.outcome.message,
      }))
    : await tryOnce(run, tryIt);
  const { outcome, retryWait } = tried;
  const record = recordOf(place, startedAt, recordedInput, tried, run, waited);
  if (outcome === null) return run.abort(record);
  if (outcome.kind === 'waiting') return pause(step, run, record, outcome, waited);
  if (outcome.kind === 'failed' && retryWait) return pauseForRetry(run, record, outcome.message, retryWait, waited);
  if (outcome.kind === 'failed')
    return haltBy(step, outcome.effects, await fail(step, scope, run, record, outcome.message));

  const output = storableJson(outcome.output);
  const tooLarge = outputLimitReached(output, run.ports.limits.outputBytes);
  if (tooLarge !== null) return fail(step, scope, run, record, tooLarge);
  if (!run.storage.hasRoomFor(recordedInput, output)) return failOverStorage(step, run, place, record.duration);
  const keeping = keptOutside(output, place.path, run);
  const outputFile = keeping && (await keeping);
  if (outputFile === null) return run.abort(record);
  await run.record(
    outputFile ? { ...record, status: 'SUCCEEDED', outputFile } : { ...record, status: 'SUCCEEDED', output },
  );
  scope.set(step.name, outputFile ? run.keptOutput(step.name, outputFile) : JsonValue.ofText(output));
  return haltBy(step, outcome.effects, null);
}

/** Null: the run was aborted meanwhile. Undefined: the output stays with the run. */
function keptOutside(output: JsonText, path: string, run: RunInProgress): Promise<OutputFile | null> | undefined {
  const { limits, largeOutputs } = run.ports;
  if (!largeOutputs || !isOver(output, limits.inlineOutputBytes)) return undefined;
  return run.unlessAborted(() => largeOutputs.keep(run.runningStep(path), output));
}

async function pause(
  step: ActionStep,
  run: RunInProgress,
  record: Omit<StepRecord, 'status'>,
  { wait: asked, effects }: Extract<PieceOutcome, { kind: 'waiting' }>,
  waited: Noted | undefined,
): Promise<Halt | null> {
  const wait = stepWait(asked, run.ports.clock.now(), (waited?.wait?.number ?? 0) + 1);
  await run.record({ ...record, status: 'PAUSED', wait });
  run.waits.goesOn(record.path, wait);
  return haltBy(step, effects, PAUSED);
}

async function pauseForRetry(
  run: RunInProgress,
  record: Omit<StepRecord, 'status'>,
  errorMessage: string,
  retryWait: StepWait,
  waited: Noted | undefined,
): Promise<Halt> {
  const again = { errorMessage, retryAt: retryWait.until, retryWait, ...(waited && { wait: waited.wait }) };
  await run.record({ ...record, status: 'PAUSED', ...again });
  run.waits.goesOn(record.path, retryWait);
  return PAUSED;
}

/** Whether it is on record as waiting for something that has not ended. */
export function isWaiting(recorded: RecordedStep | undefined, run: RunInProgress): recorded is RecordedStep {
  const wait = waitOf(recorded);
  return wait !== undefined && !run.waits.hasEnded(wait);
}

/** Nothing is tried. */
export function goOnWaiting(step: ActionStep, recorded: RecordedStep, run: RunInProgress): Halt | null {
  const wait = waitOf(recorded);
  if (wait) run.waits.goesOn(recorded.path, wait);
  return haltBy(step, recorded.effects, PAUSED);
}

const waitOf = (recorded: RecordedStep | undefined): StepWait | undefined => recorded?.retryWait ?? recorded?.wait;

/** A recorded step is as good as executed: the run goes on, or ends, as it did then. */
export function replayAction(
  step: ActionStep,
  recorded: RecordedStep,
  scope: RunScope,
  run: RunInProgress,
): Halt | null {
  run.notePassed(recorded);
  const failed = recorded.status === 'FAILED';
  const { outputFile } = recorded;
  scope.set(
    step.name,
    outputFile ? run.keptOutput(step.name, outputFile) : JsonValue.ofValue(failed ? null : recorded.output),
  );
  const ownHalt =
    failed && !step.continuesOnFailure ? failedAt(step, recorded.errorMessage ?? 'The step failed.', null) : null;
  return haltBy(step, recorded.effects, ownHalt);
}

function recordOf(
  place: Place,
  startedAt: number,
  input: JsonText,
  { outcome, attempts }: Tried,
  run: RunInProgress,
  waited: Noted | undefined,
): Omit<StepRecord, 'status'> {
  const record = {
    ...place,
    duration: run.durationSince(startedAt),
    input,
    ...(attempts > 1 && { attempts }),
    ...(outcome && outcome.logs.length > 0 && { logs: [...outcome.logs] }),
    ...(outcome?.effects && { effects: outcome.effects }),
  };
  return waited ? { ...record, ...withWhatWas(waited, outcome) } : record;
}

/** What the step logged and asked of its run before its wait, and then what it did after. */
function withWhatWas({ logs = [], effects }: Noted, after: PieceOutcome | null): Pick<StepRecord, 'logs' | 'effects'> {
  const allLogs = [...logs, ...(after?.logs ?? [])];
  const allEffects = effects && after?.effects ? joined(effects, after.effects) : (effects ?? after?.effects);
  return { ...(allLogs.length > 0 && { logs: allLogs }), ...(allEffects && { effects: allEffects }) };
}

function joined(earlier: RunEffects, later: RunEffects): RunEffects {
  const tags = [...(earlier.tags ?? []), ...(later.tags ?? [])];
  const opens = [...(earlier.opens ?? []), ...(later.opens ?? [])];
  return { ...earlier, ...later, ...(tags.length > 0 && { tags }), ...(opens.length > 0 && { opens }) };
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

/** No setting of the step lets the run go on. The step's input and output are what there is no room for. */
async function failOverStorage(step: ActionStep, run: RunInProgress, place: Place, duration: number): Promise<Halt> {
  const message = run.storage.problem;
  await run.record({ ...place, status: 'FAILED', duration, errorMessage: message });
  return failedAt(step, message, message);
}

function outputLimitReached(output: JsonText, mostBytes: number): string | null {
  if (!isOver(output, mostBytes)) return null;
  return `The output size limit is ${mostBytes} bytes per step, and this output is larger.`;
}

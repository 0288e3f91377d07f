import {
  hiddenWait,
  shownText,
  storableJson,
  type JsonText,
  type OutputFile,
  type RecordedStep,
  type RunEffects,
  type StepWait,
} from '@millrace/domain';
import type { CompiledCodeStep, CompiledPieceStep } from '../compile/compile-version';
import { isOver } from '../outputs/json-size';
import { JsonValue } from '../outputs/json-value';
import type { PieceOutcome } from '../ports/piece-runner';
import { resolveInput } from './resolve-input';
import { failedAt, haltBy, PAUSED, type Halt } from '../run/halt';
import type { RunWalk } from '../run/run-walk';
import type { RecordDetails, StepWalk } from '../run/step-walk';
import { stepWait, type Noted } from '../run/waits-of-run';
import { awaitingRetry, tryOnce, tryRepeatedly, type Tried } from './attempts';

// The common part of code and piece steps: resolve the input, try, try again after a failure if the step retries, and
// record. A step that waited takes the same way after its wait. Its record keeps the logs and effects of before the
// wait.

export type ActionStep = CompiledCodeStep | CompiledPieceStep;

export async function executeAction(
  step: ActionStep,
  walk: StepWalk,
  attempt: (input: JsonText) => Promise<PieceOutcome>,
): Promise<Halt | null> {
  const { recorded, run } = walk;
  const { recorder } = run;
  const waited = recorded?.wait && recorder.waits.beforeItsWait(walk.path);
  const earlier = awaitingRetry(recorded);
  walk.earlierMs = (earlier ?? waited)?.duration ?? 0;

  const input = await resolveInput(walk);
  if (input.kind === 'aborted') return walk.abort(beforeAndAfter(waited, null));
  if (input.kind === 'failed') return fail(step, walk, input.message, beforeAndAfter(waited, null));
  const recordedInput = walk.inputOnRecord(input.recordedText);
  if (!recorder.storage.hasRoomFor(recordedInput)) return failOverStorage(walk);

  const tryIt = (): Promise<PieceOutcome> => attempt(input.text);
  const tried = step.retriesOnFailure
    ? await tryRepeatedly(walk, tryIt, earlier, (failed) => ({
        ...detailsOf(recordedInput, failed, waited),
        ...(waited && { wait: waited.wait }),
        errorMessage: failed.outcome.message,
      }))
    : await tryOnce(run, tryIt);
  const details = detailsOf(recordedInput, tried, waited);
  const { outcome, retryWait } = tried;
  if (outcome === null) return walk.abort(details);
  if (outcome.kind === 'waiting') return pause(walk, details, outcome, waited);
  if (outcome.kind === 'value') return succeed(step, walk, outcome, details);
  if (retryWait) return pauseForRetry(walk, { ...details, errorMessage: outcome.message }, retryWait, waited);
  return haltBy(step, outcome.effects, await fail(step, walk, outcome.message, details));
}

async function succeed(
  step: ActionStep,
  walk: StepWalk,
  outcome: Extract<PieceOutcome, { kind: 'value' }>,
  details: RecordDetails,
): Promise<Halt | null> {
  const { run } = walk;
  const output = storableJson(outcome.output);
  const tooLarge = outputLimitReached(output, run.ports.limits.outputBytes);
  if (tooLarge !== null) return fail(step, walk, tooLarge, details);
  if (!run.recorder.storage.hasRoomFor(details.input ?? '', output)) return failOverStorage(walk);
  const offloading = offload(output, walk);
  const outputFile = offloading && (await offloading);
  if (outputFile === null) return walk.abort(details);
  await walk.record('SUCCEEDED', outputFile ? { ...details, outputFile } : { ...details, output });
  walk.setOutput(outputFile ? run.offloadedOutput(step.name, outputFile) : JsonValue.ofText(output));
  return haltBy(step, outcome.effects, null);
}

/**
 * Stores a large output outside the journal. Undefined, without a promise, when the output stays in the journal; null
 * when the run was aborted meanwhile.
 */
function offload(output: JsonText, { run, running }: StepWalk): Promise<OutputFile | null> | undefined {
  const { limits, largeOutputs } = run.ports;
  if (!largeOutputs || !isOver(output, limits.inlineOutputBytes)) return undefined;
  const stored = run.texts.hide(output);
  const references = typeof stored === 'string' ? {} : { references: stored.references };
  return run.unlessAborted(async () => ({ ...(await largeOutputs.keep(running, shownText(stored))), ...references }));
}

async function pause(
  walk: StepWalk,
  details: RecordDetails,
  { wait: asked, effects }: Extract<PieceOutcome, { kind: 'waiting' }>,
  waited: Noted | undefined,
): Promise<Halt | null> {
  const { ports, recorder, texts } = walk.run;
  const { request } = asked;
  const named = request ? { ...asked, request: { ...request, stepDisplayName: walk.step.displayName } } : asked;
  const wait = hiddenWait(stepWait(named, ports.clock.now(), (waited?.wait?.number ?? 0) + 1), texts.hidden);
  await walk.record('PAUSED', { ...details, wait });
  recorder.waits.addOpen(walk.path, wait);
  return haltBy(walk.step, effects, PAUSED);
}

async function pauseForRetry(
  walk: StepWalk,
  details: RecordDetails,
  retryWait: StepWait,
  waited: Noted | undefined,
): Promise<Halt> {
  const again = { retryAt: retryWait.until, retryWait, ...(waited && { wait: waited.wait }) };
  await walk.record('PAUSED', { ...details, ...again });
  walk.run.recorder.waits.addOpen(walk.path, retryWait);
  return PAUSED;
}

/** Whether the step has a record of a wait that has not ended. */
export function isWaiting(recorded: RecordedStep | undefined, { recorder }: RunWalk): recorded is RecordedStep {
  const wait = waitOf(recorded);
  return wait !== undefined && !recorder.waits.hasEnded(wait);
}

/** Continues the wait of an earlier walk, without an attempt of the step. */
export function keepWaiting(recorded: RecordedStep, { step, run }: StepWalk): Halt | null {
  const wait = waitOf(recorded);
  if (wait) run.recorder.waits.addOpen(recorded.path, wait);
  return haltBy(step, recorded.effects, PAUSED);
}

const waitOf = (recorded: RecordedStep | undefined): StepWait | undefined => recorded?.retryWait ?? recorded?.wait;

/**
 * Uses the record of a finished step in place of executing it. The run continues or ends as it did after that record.
 */
export function replayAction(step: ActionStep, recorded: RecordedStep, walk: StepWalk): Halt | null {
  const { run } = walk;
  run.recorder.pass(recorded);
  const failed = recorded.status === 'FAILED';
  const { outputFile } = recorded;
  walk.setOutput(
    outputFile ? run.offloadedOutput(step.name, outputFile) : JsonValue.ofValue(failed ? null : recorded.output),
  );
  const ownHalt =
    failed && !step.continuesOnFailure ? failedAt(step, recorded.errorMessage ?? 'The step failed.', null) : null;
  return haltBy(step, recorded.effects, ownHalt);
}

function detailsOf(input: JsonText, { outcome, attempts }: Tried, waited: Noted | undefined): RecordDetails {
  const details = {
    input,
    ...(attempts > 1 && { attempts }),
    ...(outcome && outcome.logs.length > 0 && { logs: [...outcome.logs] }),
    ...(outcome?.effects && { effects: outcome.effects }),
  };
  return waited ? { ...details, ...beforeAndAfter(waited, outcome) } : details;
}

/** Joins the logs and effects of before the step's wait with those of after it. Empty when the step did not wait. */
function beforeAndAfter(waited: Noted | undefined, after: PieceOutcome | null): RecordDetails {
  if (!waited) return {};
  const { logs = [], effects } = waited;
  const allLogs = [...logs, ...(after?.logs ?? [])];
  const allEffects = effects && after?.effects ? joined(effects, after.effects) : (effects ?? after?.effects);
  return { ...(allLogs.length > 0 && { logs: allLogs }), ...(allEffects && { effects: allEffects }) };
}

function joined(earlier: RunEffects, later: RunEffects): RunEffects {
  const tags = [...(earlier.tags ?? []), ...(later.tags ?? [])];
  const opens = [...(earlier.opens ?? []), ...(later.opens ?? [])];
  const fileBytes = (earlier.fileBytes ?? 0) + (later.fileBytes ?? 0);
  return {
    ...earlier,
    ...later,
    ...(tags.length > 0 && { tags }),
    ...(opens.length > 0 && { opens }),
    ...(fileBytes > 0 && { fileBytes }),
  };
}

/** Records the failure. Null when the step's settings let the run continue after it. */
async function fail(step: ActionStep, walk: StepWalk, message: string, details: RecordDetails): Promise<Halt | null> {
  const halt = await walk.fail(message, details);
  walk.setOutput(JsonValue.ofValue(null));
  return step.continuesOnFailure ? null : halt;
}

/**
 * Fails the step and the run, whatever the step's settings say. The record has no input or output, for lack of room.
 */
function failOverStorage(walk: StepWalk): Promise<Halt> {
  const { problem } = walk.run.recorder.storage;
  return walk.fail(problem, {}, problem);
}

function outputLimitReached(output: JsonText, mostBytes: number): string | null {
  if (!isOver(output, mostBytes)) return null;
  return `The output size limit is ${mostBytes} bytes per step, and this output is larger.`;
}

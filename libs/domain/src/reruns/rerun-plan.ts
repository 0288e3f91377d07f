import { FlowOperationInvalidError } from '../errors/flow-operation-invalid.error';
import { InvalidRequestError } from '../errors/invalid-request.error';
import type { FlowAction, FlowVersion } from '../flows/flow-version';
import { RecordedRun } from '../journal/recorded-run';
import { answeredIn, begunLoop, takenOver } from './kept-records';
import { fits, loopsAround, placedSteps, takenBranches, type PlacedStep } from './kept-records-in-version';
import { effectsToRepeat, type IsPure, type RepeatedEffect } from './rerun-plan-effects';
import {
  indexInside,
  isInside,
  iterationPrefix,
  OUTSIDE_LOOPS,
  parsePath,
  pathIn,
  type ParsedPath,
  type StepPath,
} from '../journal/step-path';
import { isFinished, isLoop, type RecordedStep } from '../journal/step-record';

// What a new run keeps that starts from any step of an ended run, and which effects it would repeat.
//
// P1. The run keeps the steps that finished before the named step, in the order of the version that will run, and in
//     all iterations before the named one. A step whose failure ends the run is not kept; it runs again.
// P2. A loop around the named step continues over the items it began with. A router around it keeps its evaluation.
// P3. The `stop` of a kept step is dropped, because the run has to reach the named step.
// P4. A step whose links had no answer before the named step runs again, because its links lead to the ended run.

export interface RerunRequest {
  /** The step that the new run starts from. Without it, or with the trigger, the whole run is repeated. */
  fromStep?: string;
  /**
   * The iteration of the loop around the step, counting from 1. A step in several loops has a list, outermost first.
   */
  iteration?: number | readonly number[];
}

export interface RerunSource {
  /** The version that will run. */
  version: FlowVersion;
  /** The records of the ended run. */
  recorded: readonly RecordedStep[];
  /** The step that the ended run tested alone; null when it went through the whole flow. */
  testStep: string | null;
  isPure: IsPure;
}

export interface RerunPlan {
  kept: RecordedStep[];
  /** How many finished steps the new run keeps. */
  keptSteps: number;
  /** The effectful steps that would run, in the order of the version. */
  steps: RepeatedEffect[];
}

/**
 * Throws FlowOperationInvalidError for a step that no run can start from, InvalidRequestError for a wrong iteration.
 */
export function planRerun(source: RerunSource, request: RerunRequest): RerunPlan {
  const { version, isPure, testStep } = source;
  const recorded = new RecordedRun(source.recorded).lastOfEachPath();
  const places = placedSteps(version);
  const from = testStep === null ? startOf(request, version, places, recorded) : startOfTest(request, testStep);
  const kept = from ? withoutDeadLinks(keptBefore(from, recorded, places), source.recorded) : [];
  const effects = effectsToRepeat({ version, kept, recorded, isPure });
  return {
    kept,
    keptSteps: kept.filter(isFinished).length,
    steps: testStep === null ? effects : effects.filter(({ stepName }) => stepName === testStep),
  };
}

type Places = ReadonlyMap<string, PlacedStep>;

/** A step test can only start from its step: no step comes before it. */
function startOfTest({ fromStep, iteration }: RerunRequest, testStep: string): null {
  assertNoIteration(iteration);
  if (fromStep === undefined || fromStep === testStep) return null;
  throw new FlowOperationInvalidError(`The run tested the step "${testStep}" alone, and has no step "${fromStep}".`);
}

/** The path of the step to start from; null repeats the whole run. */
function startOf(
  { fromStep, iteration }: RerunRequest,
  { trigger }: FlowVersion,
  places: Places,
  recorded: readonly RecordedStep[],
): ParsedPath | null {
  if (fromStep === undefined || fromStep === trigger.name) {
    assertNoIteration(iteration);
    return null;
  }
  const place = places.get(fromStep);
  if (!place) throw new FlowOperationInvalidError(`There is no step "${fromStep}" in the version that would run.`);
  if (place.isSkipped) throw new FlowOperationInvalidError(`The step "${fromStep}" is skipped, so no run reaches it.`);
  const path = { name: fromStep, loops: iterationsOf(place, iteration, recorded) };
  assertIsTaken(path, place, recorded, places);
  return path;
}

function assertNoIteration(iteration: RerunRequest['iteration']): void {
  if (iteration !== undefined)
    throw new InvalidRequestError([{ path: '/iteration', message: 'belongs to a step inside a loop.' }]);
}

function iterationsOf(
  place: PlacedStep,
  iteration: RerunRequest['iteration'],
  recorded: readonly RecordedStep[],
): ParsedPath['loops'] {
  const names = loopsAround(place);
  if (names.length === 0) {
    assertNoIteration(iteration);
    return [];
  }
  const given = iteration === undefined ? [] : [iteration].flat();
  if (given.length !== names.length) {
    const loops = names.map((name) => `"${name}"`).join(', ');
    const message = `must name an iteration of each loop around the step "${place.step.name}": ${loops}.`;
    throw new InvalidRequestError([{ path: '/iteration', message }]);
  }
  let around = OUTSIDE_LOOPS;
  return names.map((name, depth) => {
    const number = given[depth] ?? 0;
    const loop = pathIn(around, name);
    const began = iterationsBegun(loop, recorded);
    if (!Number.isInteger(number) || number < 1 || number > began) {
      const path = Array.isArray(iteration) ? `/iteration/${depth}` : '/iteration';
      const message = `must be an iteration that ran: the loop "${name}" began ${began}.`;
      throw new InvalidRequestError([{ path, message }]);
    }
    around = iterationPrefix(loop, number - 1);
    return { name, index: number - 1 };
  });
}

function iterationsBegun(loop: StepPath, recorded: readonly RecordedStep[]): number {
  let begun = 0;
  for (const { path, output } of recorded) {
    const inside = (indexInside(path, loop) ?? -1) + 1;
    const noted = path === loop ? Number((output as { index?: unknown } | null | undefined)?.index ?? 0) : 0;
    begun = Math.max(begun, inside, noted || 0);
  }
  return begun;
}

/**
 * Refuses a step in a branch that the run did not take. A router that cannot keep its evaluation may take any branch.
 */
function assertIsTaken(from: ParsedPath, place: PlacedStep, recorded: readonly RecordedStep[], places: Places): void {
  let iteration = OUTSIDE_LOOPS;
  let depth = 0;
  for (const container of place.around) {
    if ('loop' in container) {
      iteration = iterationPrefix(pathIn(iteration, container.loop), from.loops[depth++]?.index ?? 0);
      continue;
    }
    const { router, branchIndex } = container;
    const record = recorded.find(({ path }) => path === pathIn(iteration, router.name));
    if (record?.status !== 'SUCCEEDED' || !fits(record, places)) continue;
    if (!takenBranches(record, router).includes(branchIndex))
      throw new FlowOperationInvalidError(
        `The step "${from.name}" is in a branch of "${router.name}" that the run did not take.`,
      );
  }
}

function keptBefore(from: ParsedPath, recorded: readonly RecordedStep[], places: Places): RecordedStep[] {
  return recorded.flatMap((record) => {
    if (!fits(record, places)) return [];
    const path = parsePath(record.path);
    const where = standing(path, from, places);
    if (where === 'after') return [];
    if (isLoop(record)) return where === 'before' && record.status === 'SUCCEEDED' ? [record] : begunLoop(record);
    return isResult(record, places.get(path.name)?.step) ? [withoutStop(record)] : [];
  });
}

/**
 * Drops steps without answers (P4). Steps inside a finished loop stay, because the run does not enter the loop again.
 */
function withoutDeadLinks(kept: readonly RecordedStep[], recorded: readonly RecordedStep[]): RecordedStep[] {
  const isAnswered = answeredIn(kept, recorded);
  const over = kept.filter((record) => isLoop(record) && isFinished(record));
  return kept.flatMap((record) =>
    isAnswered(record) || over.some((loop) => isInside(record.path, loop.path)) ? [takenOver(record)] : [],
  );
}

/** Where `path` stands to `from`. `around` means a loop around the named step; the named step itself is `after`. */
function standing(path: ParsedPath, from: ParsedPath, places: Places): 'before' | 'around' | 'after' {
  const orderOf = (name: string): number => places.get(name)?.order ?? 0;
  for (let depth = 0; ; depth++) {
    const one = path.loops[depth];
    const other = from.loops[depth];
    const name = one?.name ?? path.name;
    const fromName = other?.name ?? from.name;
    if (name !== fromName) return orderOf(name) < orderOf(fromName) ? 'before' : 'after';
    if (!other) return 'after';
    if (!one) return 'around';
    if (one.index !== other.index) return one.index < other.index ? 'before' : 'after';
  }
}

function isResult({ status }: RecordedStep, step: FlowAction | undefined): boolean {
  if (status !== 'FAILED') return status === 'SUCCEEDED';
  const options = step && 'errorHandlingOptions' in step.settings ? step.settings.errorHandlingOptions : undefined;
  return options?.continueOnFailure?.value === true;
}

function withoutStop(record: RecordedStep): RecordedStep {
  if (!record.effects?.stop) return record;
  const { stop: _stop, ...effects } = record.effects;
  return { ...record, effects };
}

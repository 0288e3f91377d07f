import {
  itemsOnRecord,
  pathFrom,
  stepResults,
  type JsonText,
  type RecordedStep,
  type StepRecord,
} from '@millrace/domain';
import type { CompiledLoop } from '../compile/compile-version';
import { FinishedLoop, LoopIteration } from '../outputs/loop-output';
import { resolveInput, type InputResolution } from './resolve-input';
import type { Halt } from '../run/halt';
import type { RunWalk } from '../run/run-walk';
import type { StepWalk } from '../run/step-walk';
import type { ExecuteSteps } from './execute-steps';

// A loop is recorded after its last iteration, with the item and index of that iteration. Readers of the journal gather
// the other iterations from the paths of the inner steps. A loop whose items came from code is recorded RUNNING before
// it begins, so that an index means the same item after a crash. Another loop is recorded RUNNING when a step of its
// body waits. A loop in which a step ended the run is walked again, down to that step.

export async function executeLoop(
  step: CompiledLoop,
  walk: StepWalk,
  executeSteps: ExecuteSteps,
): Promise<Halt | null> {
  const { recorded, run } = walk;
  if (recorded?.status === 'SUCCEEDED' && !run.endedInside(walk.path)) return replay(recorded, walk);

  const found = withinLimit(recordedItems(recorded) ?? itemsOf(await resolveInput(walk)), run);
  if (found.kind === 'aborted') return walk.abort({ output: LoopIteration.NONE.text });
  if (found.kind === 'failed')
    return walk.fail(found.message, { input: found.input, output: LoopIteration.NONE.text }, found.reason);
  const { items, input } = found;
  const itemsCameFromCode = step.input.guest !== null;
  if (itemsCameFromCode && !recorded) await walk.record('RUNNING', { input, output: LoopIteration.NONE.text });

  const collected = run.flow.loopsReadWhole.has(step.name) ? run.recorder.startCollecting() : null;
  const { last, halt } = await iterate(step, items, walk, executeSteps);
  const exit = await recordExit(halt, last, input, { walk, beginsOnRecord: itemsCameFromCode });
  if (collected) run.recorder.stopCollecting(collected);
  if (!halt || halt.kind === 'ended')
    walk.setOutput(collected ? finishedLoop(walk, last, () => collected.map(parsed)) : last);
  return exit;
}

/** Records the loop according to the halt of its body, and returns the halt of the loop. */
async function recordExit(
  halt: Halt | null,
  last: LoopIteration,
  input: JsonText,
  { walk, beginsOnRecord }: { walk: StepWalk; beginsOnRecord: boolean },
): Promise<Halt | null> {
  const details = { input, output: last.text };
  switch (halt?.kind) {
    case 'aborted':
      return walk.abort(details);
    case 'paused':
      if (!beginsOnRecord && !walk.recorded) await walk.record('RUNNING', details);
      return halt;
    case 'failed':
      await walk.fail(`The step "${halt.step.displayName}" failed in iteration ${last.index}.`, details);
      return halt;
    default:
      await walk.record('SUCCEEDED', details);
      return halt;
  }
}

async function iterate(
  step: CompiledLoop,
  items: readonly unknown[],
  { scope, run }: StepWalk,
  executeSteps: ExecuteSteps,
): Promise<{ last: LoopIteration; halt: Halt | null }> {
  if (step.body.length === 0) return { last: iterationAt(items, items.length), halt: run.aborted };
  let last = LoopIteration.NONE;
  for (let index = 1; index <= items.length; index++) {
    last = iterationAt(items, index);
    const halt = await executeSteps(step.body, scope.ofIteration(step.name, last), run);
    if (halt) return { last, halt };
  }
  return { last, halt: null };
}

const iterationAt = (items: readonly unknown[], index: number): LoopIteration =>
  index === 0 ? LoopIteration.NONE : new LoopIteration(items[index - 1], index);

type Items =
  | { kind: 'items'; items: readonly unknown[]; input: JsonText }
  | { kind: 'failed'; message: string; reason: string | null; input?: JsonText }
  | { kind: 'aborted'; input?: undefined };

/**
 * The items that an earlier claim recorded. The loop continues with these, even if its expression would give others.
 */
function recordedItems(recorded: RecordedStep | undefined): Items | null {
  const items = recorded && itemsOnRecord(recorded);
  return items ? { kind: 'items', items, input: JSON.stringify({ items }) } : null;
}

function itemsOf(resolution: InputResolution): Items {
  if (resolution.kind === 'aborted') return resolution;
  if (resolution.kind === 'failed') return { ...resolution, reason: null };
  const { items } = JSON.parse(resolution.text) as { items: unknown };
  if (Array.isArray(items)) return { kind: 'items', items, input: resolution.recordedText };
  return {
    kind: 'failed',
    message: `The items are not a list but ${kindOf(items)}.`,
    reason: null,
    input: resolution.recordedText,
  };
}

function kindOf(value: unknown): string {
  if (value === null || value === '') return 'empty';
  if (typeof value === 'string') return 'text';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

function withinLimit(found: Items, run: RunWalk): Items {
  const most = run.ports.limits.iterationsPerLoop;
  if (found.kind !== 'items' || found.items.length <= most) return found;
  const message = `The iteration limit is ${most} per loop, and the list has ${found.items.length} items.`;
  return { kind: 'failed', message, reason: message, input: found.input };
}

function replay(recorded: RecordedStep, walk: StepWalk): null {
  const { step, run } = walk;
  const { item, index } = recorded.output as { item: unknown; index: number };
  const last = new LoopIteration(item, index);
  const records = (): RecordedStep[] => [...run.recorded.inside(walk.path), recorded];
  if (run.recorder.isCollecting) records().forEach((each) => run.recorder.pass(each));
  walk.setOutput(run.flow.loopsReadWhole.has(step.name) ? finishedLoop(walk, last, records) : last);
  return null;
}

function finishedLoop({ step, scope }: StepWalk, last: LoopIteration, records: () => RecordedStep[]): FinishedLoop {
  return new FinishedLoop(last, {
    name: step.name,
    records: () => records().map((each) => ({ ...each, path: pathFrom(scope.iteration, each.path) })),
    outputIn: (inScope) => stepResults(inScope)[step.name]?.output,
  });
}

const parsed = ({ input, output, ...step }: StepRecord): RecordedStep => ({
  ...step,
  input: valueOf(input),
  output: valueOf(output),
});

const valueOf = (text: JsonText | undefined): unknown => (text === undefined ? null : JSON.parse(text));

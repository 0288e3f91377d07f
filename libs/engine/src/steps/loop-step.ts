import { stepResults, type JsonText, type RecordedStep, type StepRecord } from '@millrace/domain';
import type { CompiledLoop } from '../compile-version';
import { failedAt, type Halt } from '../halt';
import { resolveInput, type InputResolution } from '../resolve-input';
import type { ExecuteSteps, RunInProgress } from '../run-in-progress';
import { FinishedLoop, LoopIteration, type RunScope } from '../run-scope';

// A loop is recorded when its body is done, with the item and index of its last iteration: readers of the journal
// gather the iterations from the paths of the inner steps. A loop whose items came from code is recorded RUNNING before
// it begins, so that after a crash the same index still means the same item; any other when a step of its body waits. One
// in which a step ended the run is walked again, to that step.

export async function executeLoop(
  step: CompiledLoop,
  scope: RunScope,
  run: RunInProgress,
  executeSteps: ExecuteSteps,
): Promise<Halt | null> {
  const path = scope.pathOf(step.name);
  const recorded = run.recordedAt(path);
  if (recorded?.status === 'SUCCEEDED' && !run.endedUnder(`${path}[`)) return replay(step, recorded, scope, run);

  const startedAt = run.ports.clock.elapsedMs();
  const record = (more: Pick<StepRecord, 'status' | 'input' | 'errorMessage'>, last: LoopIteration): StepRecord => ({
    path,
    type: 'LOOP_ON_ITEMS',
    duration: run.durationSince(startedAt),
    output: last.text,
    ...more,
  });

  const found = withinLimit(recordedItems(recorded) ?? itemsOf(await resolveInput(step, scope, run)), run);
  if (found.kind === 'aborted') return run.abort(record({ status: 'STOPPED' }, LoopIteration.NONE));
  const { input } = found;
  if (found.kind === 'failed') {
    await run.record(record({ status: 'FAILED', input, errorMessage: found.message }, LoopIteration.NONE));
    return failedAt(step, found.message, found.reason);
  }
  if (step.input.guest && !recorded) await run.record(record({ status: 'RUNNING', input }, LoopIteration.NONE));

  const collected = run.flow.loopsReadWhole.has(step.name) ? run.startCollecting() : null;
  const { last, halt } = await iterate(step, found.items, scope, run, executeSteps);
  if (collected) run.stopCollecting(collected);

  if (halt?.kind === 'aborted') return run.abort(record({ status: 'STOPPED', input }, last));
  if (halt?.kind === 'paused') {
    if (!step.input.guest && !recorded) await run.record(record({ status: 'RUNNING', input }, last));
    return halt;
  }
  if (halt?.kind === 'failed') {
    const errorMessage = `The step "${halt.step.displayName}" failed in iteration ${last.index}.`;
    await run.record(record({ status: 'FAILED', input, errorMessage }, last));
    return halt;
  }
  const finished = record({ status: 'SUCCEEDED', input }, last);
  await run.record(finished);
  scope.set(
    step.name,
    collected ? finishedLoop(step.name, scope, last, () => [...collected, finished].map(parsed)) : last,
  );
  return halt;
}

async function iterate(
  step: CompiledLoop,
  items: readonly unknown[],
  scope: RunScope,
  run: RunInProgress,
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

/** What an earlier claim looped over, so that going on does not begin with other items. */
function recordedItems(recorded: RecordedStep | undefined): Items | null {
  const items = (recorded?.input as { items?: unknown } | null | undefined)?.items;
  return Array.isArray(items) ? { kind: 'items', items, input: JSON.stringify({ items }) } : null;
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

function withinLimit(found: Items, run: RunInProgress): Items {
  const most = run.ports.limits.iterationsPerLoop;
  if (found.kind !== 'items' || found.items.length <= most) return found;
  const message = `The iteration limit is ${most} per loop, and the list has ${found.items.length} items.`;
  return { kind: 'failed', message, reason: message, input: found.input };
}

function replay(step: CompiledLoop, recorded: RecordedStep, scope: RunScope, run: RunInProgress): null {
  const { item, index } = recorded.output as { item: unknown; index: number };
  const last = new LoopIteration(item, index);
  const body = (): RecordedStep[] => run.recordedUnder(`${recorded.path}[`);
  if (run.isCollecting) [...body(), recorded].forEach((each) => run.notePassed(each));
  const isReadWhole = run.flow.loopsReadWhole.has(step.name);
  scope.set(step.name, isReadWhole ? finishedLoop(step.name, scope, last, () => [...body(), recorded]) : last);
  return null;
}

function finishedLoop(name: string, scope: RunScope, last: LoopIteration, records: () => RecordedStep[]): FinishedLoop {
  return new FinishedLoop(last, {
    name,
    records: () => records().map((step) => ({ ...step, path: step.path.slice(scope.pathPrefix.length) })),
    outputIn: (inScope) => stepResults(inScope)[name]?.output,
  });
}

const parsed = ({ input, output, ...step }: StepRecord): RecordedStep => ({
  ...step,
  input: valueOf(input),
  output: valueOf(output),
});

const valueOf = (text: JsonText | undefined): unknown => (text === undefined ? null : JSON.parse(text));

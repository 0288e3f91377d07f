import type { FlowAction, NewWait, StepRecord } from '@millrace/domain';
import { branch, codeStep, fallback, loop, pieceStep, router } from '@millrace/domain/testing';
import { asRecorded, walk, type Walk } from './testing/a-walk';
import { atTime, WaitingPieceRunner } from './testing/waiting-piece-runner';

// Tests a flow that waits in three branches: in a loop, in a router inside a loop over items from code, and twice in
// one step. The tests try every order in which the waits can end, and lose the worker after every record.

const always = [[{ operator: 'BOOLEAN_IS_TRUE', firstValue: true } as const]];
const isFirst = [[{ operator: 'NUMBER_IS_EQUAL_TO', firstValue: '{{ odd.index }}', secondValue: 1 } as const]];

const FLOW: FlowAction[] = [
  codeStep('before', { x: '{{ trigger.x }}' }),
  router(
    'all',
    [
      branch('loop', always, [
        loop('each', '{{ trigger.list }}', [
          pieceStep('delay', { item: '{{ each.item }}' }),
          codeStep('then', { of: '{{ delay.input.item }}', at: '{{ delay.ended.resumedAt }}' }),
        ]),
        codeStep('gathered', { all: '{{ each.iterations.map(i => i.then.output) }}' }),
      ]),
      branch('router in a loop', always, [
        loop('odd', '{{ trigger.list.slice() }}', [
          router('which', [branch('first', isFirst, [pieceStep('ask')]), fallback([pieceStep('send')])]),
        ]),
      ]),
      branch('twice', always, [pieceStep('twice'), codeStep('end', { x: '{{ before.x }}{{ twice.input }}' })]),
    ],
    { executionType: 'EXECUTE_ALL_MATCH' },
  ),
  codeStep('after', { gathered: '{{ gathered.all }}', loops: '{{ odd.iterations.length }}' }),
];
const WAITS = { send: 0, twice: 2 };
const MOST_WAITS = 5;
const trigger = { x: 1, list: ['a', 'b'] };
const MOMENT = '2026-01-02T00:00:00.000Z';
const ENDED = atTime(MOMENT);

type Resumed = Walk & { pieceRunner: WaitingPieceRunner };

async function go(records: readonly StepRecord[], endedIds: readonly string[]): Promise<Resumed> {
  const pieceRunner = new WaitingPieceRunner(WAITS);
  const waitEndings = new Map(endedIds.map((requestId) => [requestId, ENDED]));
  return { ...(await walk(FLOW, { trigger, recorded: asRecorded(records), waitEndings, pieceRunner })), pieceRunner };
}

const openIn = ({ outcome }: Walk): readonly NewWait[] => (outcome.kind === 'paused' ? outcome.waits : []);
const executedIn = (walked: Resumed): string[] => [...walked.pieceRunner.calledPaths, ...walked.runner.executedPaths];

/**
 * Continues from every pause once for each of its waits, with that wait ended first. Calls `visit` for every walk, and
 * returns the last walk of every order.
 */
async function inEveryOrder(
  visit: (before: readonly StepRecord[], ended: readonly string[], walked: Resumed) => Promise<void>,
  before: readonly StepRecord[] = [],
  ended: readonly string[] = [],
): Promise<Walk[]> {
  expect(ended.length).toBeLessThanOrEqual(MOST_WAITS);
  const walked = await go(before, ended);
  await visit(before, ended, walked);
  const open = openIn(walked);
  if (open.length === 0) return [walked];
  const ends: Walk[] = [];
  for (const { requestId } of open)
    ends.push(...(await inEveryOrder(visit, [...before, ...walked.records], [...ended, requestId])));
  return ends;
}

describe('a run that waits in several branches', () => {
  it('comes to the same end in whatever order its waits end', async () => {
    const ends = await inEveryOrder(() => Promise.resolve());

    expect(ends).toHaveLength(30);
    expect(ends[0]?.outcome).toMatchObject({ kind: 'succeeded', stepsCount: 16 });
    expect(ends[0]?.steps['after']).toMatchObject({
      input: { gathered: ['a', 'b'].map((of) => ({ of, at: MOMENT })), loops: 2 },
    });
    for (const { steps, outcome } of ends) {
      expect(steps).toEqual(ends[0]?.steps);
      expect(
        outcome.kind === 'succeeded' && { stepsCount: outcome.stepsCount, tags: [...outcome.tags].sort() },
      ).toEqual({
        stepsCount: 16,
        tags: ['ask-0', 'ask-1', 'delay-0', 'delay-1', 'send-0', 'twice-0', 'twice-1', 'twice-2'],
      });
    }
  });

  it('cut off after any record goes on to the same pause or end, and repeats no step that is on record', async () => {
    let cuts = 0;
    await inEveryOrder(async (before, ended, walked) => {
      for (let cut = 0; cut < walked.records.length; cut++, cuts++) {
        const kept = walked.records.slice(0, cut);
        const rest = await go([...before, ...kept], ended);

        expect(rest.outcome).toEqual(walked.outcome);
        expect(rest.steps).toEqual(walked.steps);
        expect(executedIn(rest).sort()).toEqual(withoutThose(executedIn(walked), kept).sort());
      }
    });
    expect(cuts).toBeGreaterThan(200);
  });
});

/** The executed paths without those that have a record in `kept`. A walk records each step once. */
function withoutThose(executed: readonly string[], kept: readonly StepRecord[]): string[] {
  const onRecord = new Set(kept.filter(({ type }) => type === 'ACTION' || type === 'CODE').map(({ path }) => path));
  return executed.filter((path) => !onRecord.has(path));
}

import type { FlowAction, PieceAction } from '../flows/flow-version';
import { aFlowVersion, branch, codeStep, fallback, loop, pieceStep, router } from '../testing/a-flow-version';
import { planRerun, type RerunRequest } from './rerun-plan';
import type { OpenedRequest } from '../journal/step-wait';
import type { RecordedStep } from '../journal/step-record';

const CONTINUES = { errorHandlingOptions: { continueOnFailure: { value: true } } };

const pure = (name: string): PieceAction => {
  const step = pieceStep(name);
  return { ...step, settings: { ...step.settings, pieceName: 'data_mapper' } };
};

/** before, each(call, which(yes(notify) | no(other)), inner(deep, after_deep)), last */
const STEPS: FlowAction[] = [
  pieceStep('before'),
  loop('each', '{{trigger.items}}', [
    pieceStep('call'),
    router('which', [branch('yes', [], [pieceStep('notify')]), fallback([pieceStep('other')], 'no')]),
    loop('inner', [1, 2], [pieceStep('deep'), codeStep('after_deep')]),
  ]),
  pure('mapped'),
  pieceStep('last'),
];

const done = (path: string, type: RecordedStep['type'] = 'ACTION', output: unknown = path): RecordedStep => ({
  path,
  type,
  status: 'SUCCEEDED',
  duration: 1,
  output,
});
const looped = (path: string, items: unknown[], more: Partial<RecordedStep> = {}): RecordedStep => ({
  ...done(path, 'LOOP_ON_ITEMS', { item: items.at(-1), index: items.length }),
  input: { items },
  ...more,
});
const routed = (path: string, ...taken: string[]): RecordedStep =>
  done(path, 'ROUTER', {
    branches: ['yes', 'no'].map((branchName, index) => ({
      branchName,
      branchIndex: index + 1,
      evaluation: taken.includes(branchName),
    })),
  });

/** A run over two items that took the branch `yes` and then the branch `no`. */
const WHOLE: RecordedStep[] = [
  done('before'),
  ...[0, 1].flatMap((index) => [
    done(`each[${index}].call`),
    routed(`each[${index}].which`, index === 0 ? 'yes' : 'no'),
    done(`each[${index}].${index === 0 ? 'notify' : 'other'}`),
    ...[0, 1].flatMap((inner) => [
      done(`each[${index}].inner[${inner}].deep`),
      done(`each[${index}].inner[${inner}].after_deep`, 'CODE'),
    ]),
    looped(`each[${index}].inner`, [1, 2]),
  ]),
  looped('each', ['a', 'b']),
  done('mapped'),
  done('last'),
];
const FIRST_ITERATION = WHOLE.slice(1, 9).map(({ path }) => path);

const plan = (request: RerunRequest, { steps = STEPS, recorded = WHOLE, testStep = null as string | null } = {}) =>
  planRerun(
    { version: aFlowVersion(steps), recorded, testStep, isPure: (pieceName) => pieceName === 'data_mapper' },
    request,
  );
const keptPaths = (...given: Parameters<typeof plan>) => plan(...given).kept.map(({ path }) => path);
const repeated = (...given: Parameters<typeof plan>) => plan(...given).steps.map(({ stepName }) => stepName);

describe('planRerun', () => {
  describe('keeps', () => {
    it.each<[string, RerunRequest, string[]]>([
      ['nothing from the start', {}, []],
      ['nothing from the trigger', { fromStep: 'trigger' }, []],
      ['nothing before the first step', { fromStep: 'before' }, []],
      ['nothing of a loop that is begun anew', { fromStep: 'each' }, ['before']],
      ['the whole loop before a later step', { fromStep: 'last' }, WHOLE.slice(0, -1).map(({ path }) => path)],
      [
        'the items alone, from the first step of the first iteration',
        { fromStep: 'call', iteration: 1 },
        ['before', 'each'],
      ],
      ['earlier iterations whole', { fromStep: 'call', iteration: 2 }, ['before', ...FIRST_ITERATION, 'each']],
      [
        'the evaluation of a router around the step',
        { fromStep: 'other', iteration: [2] },
        ['before', ...FIRST_ITERATION, 'each[1].call', 'each[1].which', 'each'],
      ],
      [
        'iterations of both loops before a step in the inner one',
        { fromStep: 'after_deep', iteration: [1, 2] },
        [
          'before',
          'each[0].call',
          'each[0].which',
          'each[0].notify',
          'each[0].inner[0].deep',
          'each[0].inner[0].after_deep',
          'each[0].inner[1].deep',
          'each[0].inner',
          'each',
        ],
      ],
    ])('%s', (_what, request, paths) => {
      expect(keptPaths(request)).toEqual(paths);
    });

    it('loops around the step as begun over the items they had', () => {
      const each = plan({ fromStep: 'call', iteration: 2 }).kept.find(({ path }) => path === 'each');
      expect(each).toEqual({
        path: 'each',
        type: 'LOOP_ON_ITEMS',
        status: 'RUNNING',
        duration: 0,
        input: { items: ['a', 'b'] },
      });
    });

    it('a loop before the step that did not finish as begun, with the iterations that ran', () => {
      const recorded = [done('before'), done('each[0].call'), looped('each', ['a', 'b'], { status: 'FAILED' })];
      expect(plan({ fromStep: 'last' }, { recorded }).kept.map(({ path, status }) => [path, status])).toEqual([
        ['before', 'SUCCEEDED'],
        ['each[0].call', 'SUCCEEDED'],
        ['each', 'RUNNING'],
      ]);
    });

    it('a failure only where the version goes over it', () => {
      const recorded = [
        { ...done('a'), status: 'FAILED' as const },
        { ...done('b'), status: 'FAILED' as const },
      ];
      const steps = [pieceStep('a', {}, CONTINUES), pieceStep('b'), pieceStep('c')];
      expect(keptPaths({ fromStep: 'c' }, { steps, recorded })).toEqual(['a']);
      expect(repeated({ fromStep: 'c' }, { steps, recorded })).toEqual(['b', 'c']);
    });

    it('nothing that had not finished', () => {
      const recorded = (['PAUSED', 'STOPPED', 'RUNNING'] as const).map((status, index) => ({
        ...done(`s${index}`),
        status,
      }));
      const steps = [pieceStep('s0'), pieceStep('s1'), pieceStep('s2'), pieceStep('c')];
      expect(keptPaths({ fromStep: 'c' }, { steps, recorded })).toEqual([]);
    });

    it('no wish of a kept step to end the run, and no links of the old run', () => {
      const effects = { tags: ['t'], stop: { status: 'SUCCEEDED' as const }, opens: [] };
      const recorded = [{ ...done('a'), effects }];
      const { kept } = plan({ fromStep: 'b' }, { steps: [pieceStep('a'), pieceStep('b')], recorded });
      expect(kept).toEqual([{ ...done('a'), effects: { tags: ['t'] } }]);
    });

    it('no step whose links would be answered later, but what came after it', () => {
      const opens = [{ requestId: 'r' } as OpenedRequest];
      const links = { ...done('links'), effects: { opens } };
      const waiting: RecordedStep = {
        ...done('ask'),
        status: 'PAUSED',
        wait: { kind: 'human', requestId: 'r' } as RecordedStep['wait'],
      };
      const steps = ['links', 'mail', 'ask', 'last'].map((name) => pieceStep(name));
      const recorded = [links, done('mail'), waiting, done('ask'), done('last')];

      expect(keptPaths({ fromStep: 'mail' }, { steps, recorded })).toEqual([]);
      expect(keptPaths({ fromStep: 'ask' }, { steps, recorded })).toEqual(['mail']);
      expect(plan({ fromStep: 'last' }, { steps, recorded }).kept).toEqual([
        { ...done('links'), effects: {} },
        done('mail'),
        done('ask'),
      ]);
    });

    it('links of a loop that is over', () => {
      const opens = [{ requestId: 'r' } as OpenedRequest];
      const steps = [loop('each', ['a'], [pieceStep('links')]), pieceStep('last')];
      const recorded = [{ ...done('each[0].links'), effects: { opens } }, looped('each', ['a'])];

      expect(keptPaths({ fromStep: 'last' }, { steps, recorded })).toEqual(['each[0].links', 'each']);
    });

    it('only what finished, in the number it names', () => {
      expect(plan({ fromStep: 'call', iteration: 2 }).keptSteps).toBe(FIRST_ITERATION.length + 1);
    });

    it('branches of a router that takes all, up to the one with the step', () => {
      const all = { executionType: 'EXECUTE_ALL_MATCH' as const };
      const steps = [router('r', [branch('yes', [], [pieceStep('a')]), branch('no', [], [pieceStep('b')])], all)];
      const recorded = [routed('r', 'yes', 'no'), done('a'), done('b')];
      expect(keptPaths({ fromStep: 'a' }, { steps, recorded })).toEqual(['r']);
      expect(keptPaths({ fromStep: 'b' }, { steps, recorded })).toEqual(['r', 'a']);
    });
  });

  describe('of another version than was executed, keeps only what fits:', () => {
    const last = pieceStep('last');
    it.each<[string, FlowAction[], RecordedStep[], string[]]>([
      ['no step that is gone', [last], [done('a')], []],
      ['no step of another type', [codeStep('a'), last], [done('a')], []],
      ['no step that is skipped now', [{ ...pieceStep('a'), skip: true }, last], [done('a')], []],
      [
        'no step in a container that is skipped now',
        [loop('l', [], [pieceStep('a')], { skip: true }), last],
        [done('l[0].a')],
        [],
      ],
      ['no step that has moved into a loop', [loop('l', [1], [pieceStep('a')]), last], [done('a')], []],
      ['no step that has moved out of a loop', [pieceStep('a'), last], [done('l[0].a')], []],
      ['no step that has moved behind the named one', [last, pieceStep('a')], [done('a')], []],
      ['a step that has moved into a branch', [router('r', [fallback([pieceStep('a')])]), last], [done('a')], ['a']],
      [
        'no evaluation of other branches',
        [router('r', [branch('no', []), branch('yes', [])]), last],
        [routed('r', 'yes')],
        [],
      ],
    ])('%s', (_what, steps, recorded, paths) => {
      expect(keptPaths({ fromStep: 'last' }, { steps, recorded })).toEqual(paths);
    });
  });

  describe('names the effectful steps that would run:', () => {
    it.each<[string, RerunRequest, string[]]>([
      ['all from the start, none that is pure', {}, ['before', 'call', 'notify', 'other', 'deep', 'last']],
      ['none before the step', { fromStep: 'last' }, ['last']],
      ['none where only pure steps come', { fromStep: 'mapped' }, ['last']],
      [
        'all of a loop body when iterations follow',
        { fromStep: 'notify', iteration: 1 },
        ['call', 'notify', 'other', 'deep', 'last'],
      ],
      ['of the last iteration only what follows', { fromStep: 'inner', iteration: 2 }, ['deep', 'last']],
      ['in the taken branch alone', { fromStep: 'other', iteration: 2 }, ['other', 'deep', 'last']],
      ['in the last inner iteration only what follows', { fromStep: 'after_deep', iteration: [2, 2] }, ['last']],
    ])('%s', (_what, request, names) => {
      expect(repeated(request)).toEqual(names);
    });

    it('steps before the named one that have no result, and whether they ran', () => {
      const steps = [pieceStep('a'), pieceStep('b', {}, { displayName: 'B' }), pieceStep('c')];
      const recorded = [done('a'), { ...done('b'), status: 'FAILED' as const }];
      const call = { pieceName: 'http', actionName: 'send_request' };
      expect(plan({ fromStep: 'c' }, { steps, recorded }).steps).toEqual([
        { stepName: 'b', displayName: 'B', ...call, ranBefore: true },
        { stepName: 'c', displayName: 'c', ...call, ranBefore: false },
      ]);
    });

    it('none that is skipped', () => {
      expect(repeated({}, { steps: [{ ...pieceStep('a'), skip: true }, pieceStep('b')] })).toEqual(['b']);
    });
  });

  describe('refuses', () => {
    it.each<[string, RerunRequest, string]>([
      [
        'a step that there is not',
        { fromStep: 'nowhere' },
        'There is no step "nowhere" in the version that would run.',
      ],
      [
        'a step in a branch that was not taken',
        { fromStep: 'other', iteration: 1 },
        'The step "other" is in a branch of "which" that the run did not take.',
      ],
    ])('%s', (_what, request, message) => {
      expect(() => plan(request)).toThrow(expect.objectContaining({ code: 'FLOW_OPERATION_INVALID', message }));
    });

    it('a step that is skipped', () => {
      const steps = [{ ...pieceStep('a'), skip: true }];
      expect(() => plan({ fromStep: 'a' }, { steps })).toThrow('The step "a" is skipped, so no run reaches it.');
    });

    it.each<[string, RerunRequest, string, string]>([
      ['an iteration of a whole run', { iteration: 1 }, '/iteration', 'belongs to a step inside a loop.'],
      [
        'an iteration of a step in no loop',
        { fromStep: 'last', iteration: 1 },
        '/iteration',
        'belongs to a step inside a loop.',
      ],
      [
        'a step in a loop without an iteration',
        { fromStep: 'call' },
        '/iteration',
        'must name an iteration of each loop around the step "call": "each".',
      ],
      [
        'one iteration for two loops',
        { fromStep: 'deep', iteration: 1 },
        '/iteration',
        'must name an iteration of each loop around the step "deep": "each", "inner".',
      ],
      [
        'an iteration that did not run',
        { fromStep: 'call', iteration: 3 },
        '/iteration',
        'must be an iteration that ran: the loop "each" began 2.',
      ],
      [
        'an inner iteration that did not run',
        { fromStep: 'deep', iteration: [2, 3] },
        '/iteration/1',
        'must be an iteration that ran: the loop "inner" began 2.',
      ],
      [
        'the iteration before the first',
        { fromStep: 'call', iteration: 0 },
        '/iteration',
        'must be an iteration that ran: the loop "each" began 2.',
      ],
    ])('%s', (_what, request, path, message) => {
      expect(() => plan(request)).toThrow(
        expect.objectContaining({ code: 'VALIDATION', params: { errors: [{ path, message }] } }),
      );
    });
  });

  it('counts an iteration as begun although nothing of it is on record, when the loop says so', () => {
    const steps = [loop('each', [], [pieceStep('a')])];
    const recorded = [looped('each', ['x', 'y'], { status: 'STOPPED' })];
    expect(keptPaths({ fromStep: 'a', iteration: 2 }, { steps, recorded })).toEqual(['each']);
  });

  it('lets a router that was not evaluated lead anywhere', () => {
    const steps = [router('r', [fallback([pieceStep('a')])])];
    expect(repeated({ fromStep: 'a' }, { steps, recorded: [] })).toEqual(['a']);
  });

  describe('a step test', () => {
    it('runs again alone', () => {
      expect(plan({ fromStep: 'call' }, { testStep: 'call' })).toMatchObject({
        kept: [],
        steps: [{ stepName: 'call', ranBefore: true }],
      });
      expect(repeated({}, { testStep: 'mapped' })).toEqual([]);
    });

    it('has no other step to run from, and no iterations', () => {
      expect(() => plan({ fromStep: 'last' }, { testStep: 'call' })).toThrow(
        'The run tested the step "call" alone, and has no step "last".',
      );
      expect(() => plan({ iteration: 1 }, { testStep: 'call' })).toThrow(/belongs to a step inside a loop/);
    });
  });
});

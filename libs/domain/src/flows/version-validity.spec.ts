import { branch, fallback, loop as loopOver, pieceStep, router } from '../testing/a-flow-version';
import { aCodeStep, aDraft, aTrigger } from './testing/a-draft';
import type { PieceCatalogue } from '../pieces/piece-catalogue';
import type { FlowTrigger } from './flow-version';
import { stepsOf } from './flow-version';
import { checkVersion, type ValidityChecks } from './version-validity';

const webhookOnly: PieceCatalogue = {
  findTrigger: (pieceName, _version, triggerName) =>
    pieceName === 'webhook' && triggerName === 'catch_webhook'
      ? {
          pieceName,
          pieceVersion: '0.1.0',
          triggerName: 'catch_webhook',
          displayName: 'Catch Webhook',
          requiredInputs: ['authType'],
          unknownInputs: (input) => Object.keys(input).filter((key) => key !== 'authType'),
          resultType: 'WEBHOOK',
          secretInputs: [],
          plan: () => ({ kind: 'WEBHOOK' }),
          hooks: [],
          renewal: null,
          handshake: null,
          inputProblems: (input) => ('authType' in input ? [] : ['The input authType is missing.']),
          inputWarnings: ({ authType }) => (authType === 'basic' ? ['Use hmac.'] : []),
        }
      : null,
  findAction: () => null,
  reasonForMissing: () => null,
  know: async () => undefined,
  hasPiece: (name) => name === 'webhook',
};

const checks = (changes: Partial<ValidityChecks> = {}): ValidityChecks => ({
  pieces: webhookOnly,
  expressionProblems: () => [],
  codeProblems: () => [],
  ...changes,
});

const check = (trigger: FlowTrigger, changes?: Partial<ValidityChecks>) =>
  checkVersion(aDraft({ trigger, valid: false }), checks(changes));

const validity = (trigger: FlowTrigger, changes?: Partial<ValidityChecks>): Record<string, boolean> =>
  Object.fromEntries([...stepsOf(check(trigger, changes).version.trigger)].map(({ name, valid }) => [name, valid]));

describe('checkVersion', () => {
  it('finds a complete version valid, in every step', () => {
    const { version, problems } = check(aTrigger({ nextAction: aCodeStep({ valid: false }) }));
    expect(version).toMatchObject({ valid: true, trigger: { valid: true, nextAction: { valid: true } } });
    expect(problems).toEqual([]);
  });

  it('leaves the version it was given as it was', () => {
    const version = aDraft({ trigger: aTrigger({ valid: false }), valid: false });
    checkVersion(version, checks());
    expect(version.trigger.valid).toBe(false);
  });

  it('finds an empty trigger invalid', () => {
    const empty: FlowTrigger = { name: 'trigger', displayName: '', type: 'EMPTY', settings: {}, valid: true };
    expect(check(empty)).toMatchObject({
      version: { valid: false, trigger: { valid: false } },
      problems: [{ stepName: 'trigger', severity: 'error', message: 'The flow has no trigger yet.' }],
    });
  });

  it('finds a trigger of an unknown piece, or with an input missing, invalid', () => {
    const { settings } = aTrigger();
    expect(check(aTrigger({ settings: { ...settings, pieceName: 'gmail' } })).problems[0]?.message).toMatch(/gmail/);
    expect(check(aTrigger({ settings: { ...settings, input: {} } })).problems[0]?.message).toMatch(/authType/);
    expect(check(aTrigger({ settings: { ...settings, triggerName: '' } })).version.valid).toBe(false);
  });

  it('finds only the step invalid whose code does not compile', () => {
    const trigger = aTrigger({ nextAction: aCodeStep({ nextAction: aCodeStep({ name: 'step_2' }) }) });
    const codeProblems: ValidityChecks['codeProblems'] = (step) => (step.name === 'step_2' ? ['1:1: no.'] : []);
    expect(validity(trigger, { codeProblems })).toEqual({ trigger: true, step_1: true, step_2: false });
  });

  it('finds a code step without code, a loop without items and a router without branches invalid', () => {
    const settings = { sourceCode: { code: ' ', packageJson: '{}' }, input: {} };
    const trigger = aTrigger({
      nextAction: aCodeStep({
        settings,
        nextAction: {
          ...{ name: 'loop', displayName: '', valid: true, type: 'LOOP_ON_ITEMS', settings: { items: '' } },
          nextAction: {
            ...{ name: 'router', displayName: '', valid: true, type: 'ROUTER', children: [] },
            settings: { executionType: 'EXECUTE_ALL_MATCH', branches: [] },
          },
        },
      }),
    });
    expect(validity(trigger)).toEqual({ trigger: true, step_1: false, loop: false, router: false });
  });

  it.each<[string, unknown, boolean]>([
    ['an object', { a: '{{trigger.body}}' }, false],
    ['a text', 'abc', false],
    ['the text of a list', '[1, 2]', false],
    ['a number', 5, false],
    ['a list', [], true],
    ['an expression', '{{trigger.body}}', true],
  ])('judges a loop whose items are %s', (_what, items, isValid) => {
    const problems = [{ stepName: 'loop', severity: 'error', message: 'The items of the loop are not a list.' }];
    expect(check(aTrigger({ nextAction: loopOver('loop', items) }))).toMatchObject({
      version: { valid: isValid },
      problems: isValid ? [] : problems,
    });
  });

  it('finds a step with an expression that does not parse invalid', () => {
    const expressionProblems: ValidityChecks['expressionProblems'] = (value) =>
      value === '{{ ( }}' ? ['It ends.'] : [];
    const loop = {
      name: 'loop',
      displayName: '',
      valid: true,
      type: 'LOOP_ON_ITEMS',
      settings: { items: '{{ ( }}' },
    } as const;
    expect(check(aTrigger({ nextAction: loop }), { expressionProblems }).problems).toEqual([
      { stepName: 'loop', severity: 'error', message: 'It ends.' },
    ]);
  });

  it('counts a skipped step as valid, whatever it holds', () => {
    const settings = { sourceCode: { code: '', packageJson: '{}' }, input: { a: '{{ nothing.there }}' } };
    expect(check(aTrigger({ nextAction: aCodeStep({ skip: true, settings }) }))).toMatchObject({
      version: { valid: true },
      problems: [],
    });
  });

  it('warns of references to unknown and later steps, and stays valid', () => {
    const { settings } = aCodeStep();
    const input = {
      a: '{{ later.x }} and {{ nobody.y }}',
      b: ['{{ trigger.body }}'],
      c: '{{ JSON.stringify(run.id) }}',
    };
    const trigger = aTrigger({
      nextAction: aCodeStep({ settings: { ...settings, input }, nextAction: aCodeStep({ name: 'later' }) }),
    });
    expect(check(trigger)).toMatchObject({
      version: { valid: true },
      problems: [
        { stepName: 'step_1', severity: 'warning', message: 'It refers to the step later, which comes later.' },
        { stepName: 'step_1', severity: 'warning', message: 'It refers to nobody, and there is no such step.' },
      ],
    });
  });

  it('lets a step in a loop refer to the loop and to what came before it', () => {
    const { settings } = aCodeStep();
    const body = aCodeStep({
      name: 'inside',
      settings: { ...settings, input: { a: '{{ loop.item.id + step_1.x }}' } },
    });
    const loop = {
      name: 'loop',
      displayName: '',
      valid: true,
      type: 'LOOP_ON_ITEMS',
      settings: { items: '{{ [1] }}' },
      firstLoopAction: body,
    } as const;
    expect(check(aTrigger({ nextAction: aCodeStep({ nextAction: loop }) })).problems).toEqual([]);
  });

  describe('of a step with a piece', () => {
    const publicName = '@vendor/piece-webhook';
    const knowing: PieceCatalogue = {
      findTrigger: (name, version, triggerName) =>
        name === publicName && version === '~0.1.0' ? webhookOnly.findTrigger('webhook', version, triggerName) : null,
      findAction: (name, _version, actionName) =>
        name === 'http'
          ? {
              ...{ pieceName: 'web', pieceVersion: '2.0.0', actionName, displayName: '', requiredInputs: [] },
              unknownInputs: () => [],
              inputProblems: () => ['The input is wrong.'],
              inputWarnings: () => [],
            }
          : null,
      hasPiece: () => true,
      reasonForMissing: () => null,
      know: async () => undefined,
    };
    const { settings } = aTrigger();
    const ranged = aTrigger({ settings: { ...settings, pieceName: publicName, pieceVersion: '~0.1.0' } });

    it('takes the name and the version of the piece that will run', () => {
      const taken = { pieceName: 'webhook', pieceVersion: '0.1.0' };
      expect(check(ranged, { pieces: knowing }).version.trigger.settings).toEqual({ ...settings, ...taken });
    });

    it('does so wherever the step stands, valid, skipped or not', () => {
      const loop = loopOver('loop', [], [pieceStep('wrong', { a: 1 }), pieceStep('skipped', {}, { skip: true })]);
      const { version } = check(aTrigger({ nextAction: loop }), { pieces: knowing });
      const settingsOf = [...stepsOf(version.trigger)].map(({ name, valid, settings: of }) => [name, valid, of]);
      const taken = expect.objectContaining({ pieceName: 'web', pieceVersion: '2.0.0', actionName: 'send_request' });
      expect(settingsOf.slice(2)).toEqual([
        ['wrong', false, taken],
        ['skipped', true, taken],
      ]);
    });

    it('leaves an unknown piece as it is written and says which is missing', () => {
      const unknown = aTrigger({ settings: { ...settings, pieceName: 'gmail', pieceVersion: '^3.1.0' } });
      const { version, problems } = check(unknown);
      expect(version.trigger.settings).toEqual(unknown.settings);
      const message = 'There is no piece gmail ^3.1.0.';
      expect(problems).toEqual([{ stepName: 'trigger', severity: 'error', message }]);
    });

    it('says why this version is missing, although another one of the piece is there', () => {
      const reason = 'The package web 2.0.0 is not installed.';
      const pieces = Object.assign({}, knowing, { findAction: () => null, reasonForMissing: () => reason });
      const { problems } = check(aTrigger({ nextAction: pieceStep('step', {}) }), { pieces });
      expect(problems).toContainEqual({ stepName: 'step', severity: 'error', message: reason });
    });

    it('says of a known piece that it has no such trigger', () => {
      const problem = check(aTrigger({ settings: { ...settings, triggerName: 'catch' } })).problems[0];
      expect(problem).toMatchObject({ severity: 'error', message: 'The piece webhook has no trigger catch.' });
    });

    it('warns of an exact version that does not exist, and leaves it as it is written', () => {
      const { version, problems } = check(aTrigger({ settings: { ...settings, pieceVersion: '9.9.9' } }));
      expect(version).toMatchObject({ valid: true, trigger: { settings: { pieceVersion: '9.9.9' } } });
      const message = 'There is no version 9.9.9 of the piece webhook; 0.1.0 runs.';
      expect(problems).toEqual([{ stepName: 'trigger', severity: 'warning', message }]);
    });

    it('warns of an input that the piece does not know, by its key', () => {
      const { version, problems } = check(
        aTrigger({ settings: { ...settings, input: { authType: 'none', secret: 1 } } }),
      );
      expect(version.valid).toBe(true);
      const message = 'The trigger catch_webhook does not know the input secret.';
      expect(problems).toEqual([{ stepName: 'trigger', severity: 'warning', message }]);
    });

    it('gives the warnings that the piece has about an input', () => {
      const { version, problems } = check(aTrigger({ settings: { ...settings, input: { authType: 'basic' } } }));
      expect(version.valid).toBe(true);
      expect(problems).toEqual([{ stepName: 'trigger', severity: 'warning', message: 'Use hmac.' }]);
    });
  });

  it('warns of branches without conditions, which are never taken', () => {
    const step = router('router', [
      branch('Never', []),
      branch('Always', [[]]),
      branch('Sometimes', [[{ firstValue: 1, operator: 'EXISTS' }]]),
      fallback(),
    ]);
    expect(check(aTrigger({ nextAction: step }))).toMatchObject({
      version: { valid: true },
      problems: [
        {
          stepName: 'router',
          severity: 'warning',
          message: 'The branch "Never" has no conditions and is never taken.',
        },
      ],
    });
  });

  it('takes what stands inside a skipped loop for skipped too', () => {
    const broken = aCodeStep({ name: 'inside' });
    const skipped = { ...loopOver('around', '{{nobody}}', [broken]), skip: true };
    const { version, problems } = check(aTrigger({ nextAction: skipped }), { codeProblems: () => ['It is broken.'] });
    expect([version.valid, problems]).toEqual([true, []]);
  });

  it('does not begin to parse more expressions than a flow may have', () => {
    const parsed: unknown[] = [];
    const checking = {
      expressionProblems: (value: unknown) => {
        parsed.push(value);
        return [];
      },
    };
    const withExpressions = (count: number) =>
      aTrigger({
        nextAction: { ...aCodeStep(), settings: { ...aCodeStep().settings, input: { a: '{{1}}'.repeat(count) } } },
      });

    expect(check(withExpressions(20_000), checking).version.valid).toBe(true);
    expect(parsed).not.toEqual([]);
    parsed.length = 0;
    expect(check(withExpressions(20_001), checking).problems).toEqual([
      { stepName: 'trigger', severity: 'error', message: 'The flow has 20001 expressions, and 20000 is the most.' },
    ]);
    expect(parsed).toEqual([]);
  });

  it('finds a router invalid that has an operator of another product', () => {
    const foreign = router('r', [branch('A', [[{ firstValue: '', operator: 'LIST_COUNT_IS_EQUAL_TO' }]])]);
    expect(check(aTrigger({ nextAction: foreign })).problems).toEqual([
      {
        stepName: 'r',
        severity: 'error',
        message: 'A condition of the branch "A" has the operator LIST_COUNT_IS_EQUAL_TO, which does not exist.',
      },
    ]);
  });

  it('finds a router invalid while a condition has no operator', () => {
    const unfinished = router('r', [branch('A', [[{ firstValue: '', operator: '' }]])]);
    expect(check(aTrigger({ nextAction: unfinished })).problems).toEqual([
      { stepName: 'r', severity: 'error', message: 'A condition of the branch "A" has no operator.' },
    ]);
  });

  it('says of a step that refers to itself that it does', () => {
    const self = aCodeStep({ settings: { ...aCodeStep().settings, input: { a: '{{step_1.x}}' } } });
    expect(check(aTrigger({ nextAction: self })).problems).toEqual([
      { stepName: 'step_1', severity: 'warning', message: 'It refers to itself.' },
    ]);
  });

  it('does not begin to parse more text with expressions than a flow may have', () => {
    const long = `{{1}}${'x'.repeat(5_000_000)}`;
    const step = aCodeStep({ settings: { ...aCodeStep().settings, input: { a: long } } });
    expect(check(aTrigger({ nextAction: step })).problems[0]?.message).toContain('5000005 characters');
  });

  describe('judges the control of runs', () => {
    const controlled = (control: object) => {
      const trigger = aTrigger();
      return check({ ...trigger, settings: { ...trigger.settings, ...control } });
    };
    const key = '{{ trigger.body.id }}';

    it.each([
      [{ concurrency: { limit: 0 } }, 'The setting concurrency.limit must be a whole number from 1 to 10000.'],
      [
        { rateLimit: { limit: 1, windowSeconds: 0.5 } },
        'The setting rateLimit.windowSeconds must be a whole number from 1 to 86400.',
      ],
      [{ dedupe: { key: ' ', windowSeconds: 1 } }, 'The setting dedupe.key is required.'],
      [{ batch: { size: 1, seconds: 1 } }, 'The setting batch.size must be a whole number from 2 to 1000.'],
      [
        { debounce: { seconds: 1 }, batch: { size: 2, seconds: 1 } },
        'The settings debounce and batch exclude each other.',
      ],
    ])('and finds %j invalid', (control, message) => {
      expect(controlled(control)).toMatchObject({
        version: { valid: false },
        problems: [{ stepName: 'trigger', severity: 'error', message }],
      });
    });

    it.each([
      [
        { concurrency: { limit: 1, key: 'all' } },
        'The setting concurrency.key has no expression, so all runs have the same key.',
      ],
      [
        { concurrency: { limit: 1, key: '{{ step_1.id }}' } },
        'A key of its flow control refers to step_1, but sees only the trigger.',
      ],
      [
        { rateLimit: { limit: 1, windowSeconds: 1, key: "of {{ connections['crm'] }}" } },
        'A key of its flow control reads connections, but sees only the trigger.',
      ],
      [
        { dedupe: { key: '{{ connections[trigger.name].id }}', windowSeconds: 1 } },
        'A key of its flow control reads connections, but sees only the trigger.',
      ],
    ])('and warns of %j', (control, message) => {
      expect(controlled(control)).toMatchObject({
        version: { valid: true },
        problems: [{ stepName: 'trigger', severity: 'warning', message }],
      });
    });

    it('and finds keys on the payload good', () => {
      expect(controlled({ concurrency: { limit: 1, key }, dedupe: { key, windowSeconds: 1 } }).problems).toEqual([]);
    });
  });
});

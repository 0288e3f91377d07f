import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isProblem } from './bundling/code-bundle';
import { bundleCode } from './testing/bundle-code';
import { Sandbox } from './sandbox';
import type { SandboxFailureKind, SandboxOutcome } from './sandbox-failure';
import { WALL_BOUND_FACTOR } from './step-clock';
import { compileThread } from './testing/compile-thread';

type OutcomeClass = 'value' | 'error' | 'timeout' | 'memory';

interface Expectation {
  class?: OutcomeClass;
  anyOf?: Expectation[];
  value?: unknown;
  valueJson?: string;
  messageIncludes?: string[];
  notContains?: string[];
}

interface HostileCase {
  id: string;
  body: string;
  input: unknown;
  inputRaw?: string;
  after?: string;
  expect: Expectation;
}

interface Ending {
  class: OutcomeClass;
  json: string;
  message: string;
  text: string;
}

const { cases, testLimits } = JSON.parse(
  readFileSync(join(__dirname, '../../../tests/cases/hostile-sandbox.json'), 'utf8'),
) as { cases: HostileCase[]; testLimits: { cpuMs: number; memoryMb: number; wallMs: number; killGraceMs: number } };

/** A quarter of the list's CPU limit, because many programs wait for it, and no other needs as much. */
const limits = { ...testLimits, cpuMs: testLimits.cpuMs / 4 };

const CLASS_OF: Record<SandboxFailureKind, OutcomeClass> = {
  threw: 'error',
  source: 'error',
  crashed: 'error',
  'output-size': 'error',
  aborted: 'error',
  memory: 'memory',
  'cpu-time': 'timeout',
  'wall-time': 'timeout',
  'sleep-time': 'timeout',
  'never-settles': 'timeout',
};

/** The longest time until a step ends. On a busy machine the bound of wall time ends a step, not its CPU limit. */
const ENDS_WITHIN_MS = WALL_BOUND_FACTOR * limits.cpuMs + limits.killGraceMs + 2000;

let sandbox: Sandbox;
let canary = '';

async function runBody(body: string, input: string, tenant: string): Promise<Ending> {
  const code = `export const code = async (inputs) => {\n${body.replace('__PAD_5MB__', 'x'.repeat(5 * 1024 * 1024))}\n};`;
  const bundle = await bundleCode({ code, packageJson: '' });
  if (isProblem(bundle)) return { class: 'error', json: '', message: bundle.problem, text: bundle.problem };
  return endingOf(await sandbox.run({ tenant, ...bundle, input }));
}

function endingOf(outcome: SandboxOutcome): Ending {
  const text = JSON.stringify(outcome);
  if (outcome.kind === 'value') return { class: 'value', json: outcome.output, message: '', text };
  return { class: CLASS_OF[outcome.failure.kind], json: '', message: outcome.failure.message, text };
}

function run({ body, input, inputRaw }: HostileCase, tenant: string): Promise<Ending> {
  return runBody(body, inputRaw ?? JSON.stringify(input), tenant);
}

function agrees(expected: Expectation, ending: Ending): boolean {
  if (expected.anyOf) return expected.anyOf.some((one) => agrees(one, ending));
  if (expected.class !== ending.class) return false;
  if (expected.valueJson !== undefined && ending.json !== expected.valueJson) return false;
  if (expected.value !== undefined && JSON.stringify(JSON.parse(ending.json)) !== JSON.stringify(expected.value))
    return false;
  return (expected.messageIncludes ?? []).every((part) => ending.message.includes(part));
}

function expectAsDescribed({ expect: expected }: HostileCase, ending: Ending): void {
  expect({ ending: ending.text.slice(0, 500), agrees: agrees(expected, ending) }).toMatchObject({ agrees: true });
  for (const secret of [...(expected.notContains ?? []), canary]) expect(ending.text).not.toContain(secret);
  expect(ending.message.length).toBeLessThanOrEqual(64 * 1024);
}

const residentMb = () => process.memoryUsage().rss / 1024 / 1024;

describe('hostile programs', () => {
  let residentAtStart = 0;
  let threadScript = '';

  beforeAll(async () => {
    canary = `canary-${process.pid}-${Date.now()}`;
    process.env.SVC_CANARY = canary;
    threadScript = await compileThread();
    sandbox = await Sandbox.start({ threads: 2, threadScript, limits, auditEvery: 1 });
    await runBody('return 1+1', 'null', 'warm-up');
    residentAtStart = residentMb();
  });

  afterAll(async () => {
    await sandbox.close();
    delete process.env.SVC_CANARY;
  });

  it.each(cases.filter(({ after }) => after === undefined).map((one) => [one.id, one] as const))(
    '%s ends as described and harms nobody',
    async (_id, hostile) => {
      const startedAt = performance.now();
      const neighbour = runBody('let n = 0; for (let i = 0; i < 1e5; i++) n += i; return n', 'null', 'neighbour');
      const ending = await run(hostile, 'attacker');
      const took = performance.now() - startedAt;

      expectAsDescribed(hostile, ending);
      expect(took).toBeLessThan(ENDS_WITHIN_MS);
      expect(await neighbour).toMatchObject({ class: 'value', json: '4999950000' });
      expect(await runBody('return 1+1', 'null', 'attacker')).toMatchObject({ class: 'value', json: '2' });
    },
    30_000,
  );

  it.each(cases.filter(({ after }) => after !== undefined).map((one) => [one.id, one] as const))(
    '%s finds nothing of the program before it',
    async (_id, checking) => {
      const before = cases.find(({ id }) => id === checking.after) as HostileCase;
      const single = await Sandbox.start({ threads: 1, threadScript, limits, auditEvery: 1 });
      const shared = sandbox;
      sandbox = single;
      for (const tenant of ['attacker', 'another']) {
        expectAsDescribed(before, await run(before, 'attacker'));
        expectAsDescribed(checking, await run(checking, tenant));
      }
      sandbox = shared;
      await single.close();
    },
  );

  it('left no difference for an audit to find, no crash, and little memory', () => {
    const { audits, crashes, drops } = sandbox.stats();

    expect(audits).toBeGreaterThan(cases.length);
    expect(crashes).toBe(0);
    expect(drops['audit found a difference']).toBeUndefined();
    expect(residentMb() - residentAtStart).toBeLessThan(4 * testLimits.memoryMb);
  });
});

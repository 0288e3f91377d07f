import { branch, codeStep, fallback, loop, router, webhookTrigger } from '../testing/a-flow-version';
import type { FlowAction, FlowVersion } from './flow-version';
import { aDraft } from './testing/a-draft';
import { diffVersions, type VersionDiff } from './version-diff';
import { leastCpuMs } from '../testing/least-cpu-time';

const versionOf = (steps: FlowAction[], more: Partial<FlowVersion> = {}): FlowVersion =>
  aDraft({ trigger: webhookTrigger(steps), ...more });
const between = (before: FlowAction[], after: FlowAction[]): VersionDiff['steps'] =>
  diffVersions(versionOf(before), versionOf(after)).steps;

const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((name) => codeStep(name)) as [
  FlowAction,
  FlowAction,
  FlowAction,
  FlowAction,
];
const after = (parentStep: string) => ({ parentStep, position: 'AFTER' });
const inLoop = (parentStep: string) => ({ parentStep, position: 'INSIDE_LOOP' });
const inBranch = (parentStep: string, branchIndex: number) => ({ parentStep, position: 'INSIDE_BRANCH', branchIndex });
const none = { added: [], removed: [], moved: [], changed: [] };

describe('diffVersions', () => {
  it('finds no difference between a version and itself', () => {
    const version = versionOf([a, loop('loop', [1], [b]), router('router', [fallback([c])])]);
    expect(diffVersions(version, version)).toEqual({ notes: { added: [], removed: [], changed: [] }, steps: none });
  });

  it('tells the name', () => {
    const diff = diffVersions(versionOf([], { displayName: 'Old' }), versionOf([], { displayName: 'New' }));
    expect(diff.displayName).toEqual({ from: 'Old', to: 'New' });
  });

  it('tells the notes by their ids', () => {
    const before = [
      { id: 'same', content: '', x: [1] },
      { id: 'other', content: 'a' },
      { id: 'gone', content: '' },
    ];
    const now = [
      { id: 'new', content: '' },
      { id: 'other', content: 'b' },
      { id: 'same', content: '', x: [1] },
    ];
    expect(diffVersions(versionOf([], { notes: before }), versionOf([], { notes: now })).notes).toEqual({
      added: ['new'],
      removed: ['gone'],
      changed: ['other'],
    });
  });

  it.each<[string, FlowAction[], FlowAction[], object]>([
    ['a step put in front', [b], [a, b], { added: [{ name: 'a', location: after('trigger') }] }],
    ['a step put between', [a, c], [a, b, c], { added: [{ name: 'b', location: after('a') }] }],
    ['a step taken out', [a, b, c], [a, c], { removed: [{ name: 'b', location: after('a') }] }],
    [
      'a step put into a loop and one into a branch',
      [loop('loop', []), router('router', [fallback()])],
      [loop('loop', [], [a]), router('router', [fallback([b])])],
      {
        added: [
          { name: 'a', location: inLoop('loop') },
          { name: 'b', location: inBranch('router', 0) },
        ],
      },
    ],
    [
      'a loop with its body',
      [],
      [loop('loop', [], [a])],
      {
        added: [
          { name: 'loop', type: 'LOOP_ON_ITEMS' },
          { name: 'a', location: inLoop('loop') },
        ],
      },
    ],
    [
      'the first step moved to the end, and no other',
      [a, b, c, d],
      [b, c, d, a],
      { moved: [{ name: 'a', from: after('trigger'), to: after('d') }] },
    ],
    ['the last step moved to the front', [a, b, c], [c, a, b], { moved: [{ name: 'c', to: after('trigger') }] }],
    [
      'a step moved into a loop',
      [a, loop('loop', [])],
      [loop('loop', [], [a])],
      { moved: [{ name: 'a', from: after('trigger'), to: inLoop('loop') }] },
    ],
    [
      'a loop moved, and not its body',
      [loop('loop', [], [a, b]), c, d],
      [c, d, loop('loop', [], [a, b])],
      { moved: [{ name: 'loop', from: after('trigger'), to: after('d') }] },
    ],
    [
      'a step moved from one branch to another',
      [router('router', [branch('x', [], [a, b]), fallback()])],
      [router('router', [branch('x', [], [b]), fallback([a])])],
      { moved: [{ name: 'a', from: inBranch('router', 0), to: inBranch('router', 1) }] },
    ],
    [
      'a branch put in front, and the steps of the others where they were',
      [router('router', [branch('x', [], [a]), fallback([b])])],
      [router('router', [branch('new', []), branch('x', [], [a]), fallback([b])])],
      { changed: [{ name: 'router', paths: ['/settings/branches'] }] },
    ],
    [
      'a branch renamed, and its steps where they were',
      [router('router', [branch('x', [], [a]), fallback([b])])],
      [router('router', [branch('y', [], [a]), fallback([b])])],
      { changed: [{ name: 'router', paths: ['/settings/branches/0/branchName'] }] },
    ],
    [
      'a branch taken out with its steps left in another',
      [router('router', [branch('x', [], [a]), fallback()])],
      [router('router', [fallback([a])])],
      { moved: [{ name: 'a', to: inBranch('router', 0) }], changed: [{ name: 'router' }] },
    ],
    [
      'settings and name of a step that moved',
      [codeStep('a', { url: 1, old: 1 }), b, c],
      [b, c, codeStep('a', { url: 2 }, undefined, { displayName: 'Other', skip: true })],
      {
        moved: [{ name: 'a' }],
        changed: [
          {
            name: 'a',
            displayName: 'Other',
            paths: ['/displayName', '/settings/input/url', '/settings/input/old', '/skip'],
          },
        ],
      },
    ],
    [
      'another kind of step of the same name',
      [codeStep('a')],
      [loop('a', [1])],
      { changed: [{ name: 'a', paths: ['/type', '/settings/sourceCode', '/settings/input', '/settings/items'] }] },
    ],
  ])('tells %s', (_what, before, now, steps) => expect(between(before, now)).toMatchObject({ ...none, ...steps }));

  it('takes the trigger for the trigger, whatever its name', () => {
    const trigger = { ...webhookTrigger([a], { authType: 'none' }), name: 'hook' };
    expect(diffVersions(versionOf([a]), versionOf([], { trigger })).steps).toEqual({
      ...none,
      changed: [{ name: 'hook', displayName: 'Catch Webhook', paths: ['/name', '/settings/input/authType'] }],
    });
  });

  it('takes marks of sample data and validity for no change', () => {
    const step = codeStep('a');
    const settings = { ...step.settings, sampleData: { inputSavedAt: 'now' } };
    expect(between([step], [{ ...step, valid: false, settings }])).toEqual(none);
  });

  it('compares the longest chain there is in a moment', async () => {
    const steps = Array.from({ length: 999 }, (_, index) => codeStep(`s${index}`));
    const turned = [...steps.slice(1), steps[0] as FlowAction];
    const compare = () => expect(between(steps, turned).moved).toMatchObject([{ name: 's0' }]);

    expect(await leastCpuMs(compare)).toBeLessThan(1_000);
  });

  it('holds together for any two versions', () => {
    const random = seeded(20260101);
    for (let round = 0; round < 300; round++) {
      const before = versionOf(anySteps(random));
      const now = versionOf(anySteps(random));
      const there = diffVersions(before, now).steps;
      const back = diffVersions(now, before).steps;

      expect(there.added).toEqual(back.removed);
      expect(there.removed).toEqual(back.added);
      expect(there.moved.length).toBe(back.moved.length);
      const touched = new Set([...there.added, ...there.removed, ...there.moved].map(({ name }) => name));
      expect(orderOf(before, touched)).toEqual(orderOf(now, touched));
    }
  });
});

/** Random numbers by Mulberry32. The same seed gives the same numbers. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Some of ten code steps in a random order, in the flow itself, a loop and two branches. */
function anySteps(random: () => number): FlowAction[] {
  const chains: [FlowAction[], FlowAction[], FlowAction[], FlowAction[]] = [[], [], [], []];
  const names = Array.from({ length: 10 }, (_, index) => `s${index}`).filter(() => random() < 0.7);
  for (const name of names) {
    const chain = chains[Math.floor(random() * 4)] as FlowAction[];
    chain.splice(Math.floor(random() * (chain.length + 1)), 0, codeStep(name));
  }
  const [own, body, first, second] = chains;
  return [...own, loop('loop', [], body), router('router', [branch('x', [], first), fallback(second)])];
}

/** The names of the steps in each chain, in their order, except the steps in `without`. */
function orderOf(version: FlowVersion, without: ReadonlySet<string>): string[] {
  const chains: string[] = [];
  const pending: [string, FlowAction | null | undefined][] = [['flow', version.trigger.nextAction]];
  for (let next = pending.pop(); next; next = pending.pop()) {
    const names: string[] = [];
    for (let step = next[1]; step; step = step.nextAction) {
      if (!without.has(step.name)) names.push(step.name);
      if (step.type === 'LOOP_ON_ITEMS') pending.push([step.name, step.firstLoopAction]);
      if (step.type === 'ROUTER')
        pending.push(...step.children.map((child, index): [string, typeof child] => [`${step.name}/${index}`, child]));
    }
    chains.push(`${next[0]}: ${names.join(' ')}`);
  }
  return chains.sort();
}

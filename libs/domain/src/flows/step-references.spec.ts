import { readsConnections, stepReferences } from './step-references';
import { leastCpuMs } from '../testing/least-cpu-time';

describe('stepReferences', () => {
  it.each([
    ['{{ step_1.body[0].id }}', ['step_1']],
    ['{{step_1}}', ['step_1']],
    ['{{ a.b + c?.d }} text {{ e["f.g"] }}', ['a', 'c', 'e']],
    ["{{ 'x.y' + step_1.z }}", ['step_1']],
    ['{{ list.map((item) => item.id) }}', ['list']],
    ['{{ Math.max(1, 2) }} {{ run.id }} {{ connections["a"].token }}', []],
    ['step_1.body', []],
    ['{{}} {{ 1 + 1 }}', []],
  ])('of %s are %j', (text, names) => expect(stepReferences({ deep: [text] })).toEqual(names));

  it('reads a megabyte of quotes that nobody closes in a moment', async () => {
    const text = `{{ step_1.x + '${"\\'".repeat(500_000)} }}`;

    expect(await leastCpuMs(() => expect(stepReferences(text)).toEqual(['step_1']))).toBeLessThan(1_000);
  });
});

describe('readsConnections', () => {
  it.each([
    ['{{ connections.crm }}', true],
    ["a {{ connections?.['crm'] ?? trigger.body }}", true],
    ['{{ [...connections] }}', true],
    ['{{ trigger.connections }}', false],
    ["{{ 'connections' }}", false],
    ['connections', false],
    ['{{ trigger.body.map((connections) => connections.id) }}', false],
    ['{{ ({ connections: 1 }) }}', false],
  ])('of %j is %j', (value, reads) => expect(readsConnections({ value })).toBe(reads));
});

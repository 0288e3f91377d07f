import { resolveConnections, triggerExpressionProblems } from './trigger-input';

const connections = new Map<string, unknown>([
  ['key', 'k-1'],
  ['login', { username: 'ann', password: 'p"q' }],
  ["it's", { list: [1, { deep: true }] }],
]);
const resolved = (it: unknown) => resolveConnections({ it }, connections)['it'];

describe('resolveConnections', () => {
  it.each([
    ["{{connections['key']}}", 'k-1'],
    ['{{ connections["key"] }}', 'k-1'],
    ['{{connections.key}}', 'k-1'],
    ['Bearer {{connections.key}}!', 'Bearer k-1!'],
    ['{{connections.login.password}}', 'p"q'],
    ["{{connections['login']?.['username']}}", 'ann'],
    ['{{connections.login}}', { username: 'ann', password: 'p"q' }],
    ['as text: {{connections.login}}', 'as text: {"username":"ann","password":"p\\"q"}'],
    ["{{connections['it\\'s'].list[1].deep}}", true],
    ['{{connections.absent}}', ''],
    ['{{connections.login.absent.deeper}}', ''],
    ['{{connections.login.constructor}}', ''],
    ['{{connections.key.length}}', ''],
    ['no expression', 'no expression'],
    ['{{ unclosed', '{{ unclosed'],
    [5, 5],
    [null, null],
    [['{{connections.key}}'], ['k-1']],
    [{ a: { b: '{{connections.key}}' } }, { a: { b: 'k-1' } }],
  ])('of %j is %j', (written, value) => expect(resolved(written)).toEqual(value));
});

describe('triggerExpressionProblems', () => {
  it.each([
    ["{{connections['key']}}"],
    ['a {{connections.key}} b {{ connections.login.username }}'],
    ['{{ unclosed'],
    [5],
  ])('finds none in %j', (it) => expect(triggerExpressionProblems({ it: [it] })).toEqual([]));

  it.each([
    ['{{step_1.id}}'],
    ['{{connections}}'],
    ['{{connectionsOf.key}}'],
    ["{{connections['key'] + 1}}"],
    ['{{connections[name]}}'],
    ['{{1}}'],
    ['{{}}'],
  ])('finds one in %j', (it) =>
    expect(triggerExpressionProblems({ it: { deep: it } })).toEqual([
      `An expression of a trigger can only read connections, and ${it} does not.`,
    ]),
  );
});

import { cutValueOf } from '../json-view/cut-value';
import { knownValue } from './known-value';

const body: unknown = JSON.parse('{"n":3,"who":"Ada","tags":["a","b"],"empty":null,"odd key":1,"__proto__":7}');
const samples = new Map([
  ['trigger', cutValueOf({ body, lines: [1] }, [{ path: '/lines', count: 900 }])],
  ['text', cutValueOf('abc', [])],
]);

// The rows are those of docs/flow-json.md, "Expressions".
describe('knownValue', () => {
  it.each<[string, unknown]>([
    ['{{ trigger.body.n }}', 3],
    ['{{trigger.body.tags}}', ['a', 'b']],
    [' {{ trigger.body.n }}', ' 3'],
    ['Hello {{ trigger.body.who }}, {{ trigger.body.n }} times', 'Hello Ada, 3 times'],
    ['tags: {{ trigger.body.tags }}', 'tags: ["a","b"]'],
    ['{{ trigger.body.tags[1] }}', 'b'],
    [`{{ trigger.body['odd key'] }}`, 1],
    ['{{ trigger.body.__proto__ }}', 7],
    ['{{ text }}', 'abc'],
  ])('reads %s', (text, value) => {
    expect(knownValue(text, samples)).toEqual({ kind: 'value', value, isMissing: false });
  });

  it.each<[string, unknown]>([
    ['{{ trigger.body.missing }}', ''],
    ['{{ trigger.body.empty }}', ''],
    ['{{ trigger.body.constructor }}', ''],
    ['<{{ trigger.body.missing.deeper }}>', '<>'],
  ])('says that %s gives nothing', (text, value) => {
    expect(knownValue(text, samples)).toEqual({ kind: 'value', value, isMissing: true });
  });

  it.each([
    '{{ 1 + 2 }}',
    '{{ other.x }}',
    '{{}}',
    '{{ trigger.body.n }} {{ trigger.body.n + 1 }}',
    '{{ run.id }}',
    '{{ text.length }}',
  ])('leaves %s to the service', (text) => {
    expect(knownValue(text, samples)).toEqual({ kind: 'ask' });
  });

  it('leaves a text without expressions alone', () => {
    expect(knownValue('an open {{ stays', samples)).toEqual({ kind: 'plain' });
  });
});

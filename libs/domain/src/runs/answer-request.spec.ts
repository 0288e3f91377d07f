import { answerOf, type GivenAnswer } from './answer-request';
import type { FormField, HumanRequest } from '../journal/step-wait';

const answering = (request: HumanRequest, given: Partial<GivenAnswer>) =>
  answerOf(request, { body: undefined, query: {}, headers: {}, ...given });

describe('answerOf an approval', () => {
  const approval: HumanRequest = { kind: 'approval' };

  it.each<[Partial<GivenAnswer>, object]>([
    [{ body: { approved: true } }, { approved: true }],
    [{ body: { approved: false } }, { approved: false }],
    [{ body: { approved: 'false' } }, { approved: false }],
    [{ body: { approved: true, comment: 'Fine.' } }, { approved: true, comment: 'Fine.' }],
    [{ body: { approved: true, comment: '' } }, { approved: true }],
    [{ body: { approved: true, comment: null } }, { approved: true }],
    [{ body: { action: 'APPROVE' } }, { approved: true }],
    [{ body: { action: 'REJECT', comment: 'No.' } }, { approved: false, comment: 'No.' }],
    [{ query: { action: 'approve' } }, { approved: true }],
    [{ query: { action: 'disapprove' }, body: '' }, { approved: false }],
    [
      { query: { action: 'disapprove' }, body: { comment: 'No.' } },
      { approved: false, comment: 'No.' },
    ],
    [{ query: { action: 'approve' }, body: { approved: true } }, { approved: true }],
  ])('takes %j', (given, answer) => expect(answering(approval, given)).toEqual({ answer }));

  it.each<[Partial<GivenAnswer>, string, string]>([
    [{}, '/approved', 'is required.'],
    [{ body: { comment: 'Hm.' } }, '/approved', 'is required.'],
    [{ body: { approved: 'yes' } }, '/approved', 'must be one of true, false.'],
    [{ body: { action: 'approve' } }, '/action', 'must be one of APPROVE, REJECT.'],
    [{ query: { action: 'maybe' } }, '/action', 'must be one of approve, disapprove.'],
    [{ query: { action: ['approve', 'disapprove'] } }, '/action', 'must be one of approve, disapprove.'],
    [{ body: { approved: true, action: 'REJECT' } }, '/approved', 'contradicts the action.'],
    [{ body: { approved: true }, query: { action: 'disapprove' } }, '/approved', 'contradicts the action.'],
    [{ body: { approved: true, comment: 5 } }, '/comment', 'must be a string.'],
    [{ body: { approved: true, colour: 'red' } }, '/colour', 'is not a known field.'],
    [{ body: [true] }, '', 'must be an object.'],
    [{ body: 'approve' }, '', 'must be an object.'],
  ])('refuses %j', (given, path, message) =>
    expect(answering(approval, given)).toEqual({ problems: [{ path, message }] }),
  );
});

describe('answerOf a form', () => {
  const field = (name: string, type: FormField['type'], more: Partial<FormField> = {}): FormField => ({
    name,
    label: name,
    type,
    required: false,
    ...more,
  });
  const form: HumanRequest = {
    kind: 'form',
    fields: [
      field('name', 'text', { required: true }),
      field('age', 'number'),
      field('isMember', 'boolean'),
      field('since', 'date'),
      field('size', 'select', { options: ['S', 'M'] }),
    ],
  };
  const nothing = { age: null, isMember: null, since: null, size: null };

  it.each<[object, object]>([
    [{ name: 'Ann' }, { name: 'Ann', ...nothing }],
    [
      { name: 'Ann', age: null, since: '' },
      { name: 'Ann', ...nothing },
    ],
    [
      { name: 'Ann', age: 30.5, isMember: false, since: '2026-02-28', size: 'M' },
      { name: 'Ann', age: 30.5, isMember: false, since: '2026-02-28', size: 'M' },
    ],
    [
      { name: 'Ann', age: '30', isMember: 'true' },
      { name: 'Ann', ...nothing, age: 30, isMember: true },
    ],
    [
      { name: 'Ann', since: '2026-02-28T10:00:00+01:00' },
      { name: 'Ann', ...nothing, since: '2026-02-28T10:00:00+01:00' },
    ],
  ])('takes %j', (body, answer) => expect(answering(form, { body })).toEqual({ answer }));

  it.each<[object, string, string]>([
    [{}, '/name', 'is required.'],
    [{ name: '' }, '/name', 'is required.'],
    [{ name: 5 }, '/name', 'must be a string.'],
    [{ name: 'Ann', age: 'old' }, '/age', 'must be a number.'],
    [{ name: 'Ann', age: ' ' }, '/age', 'must be a number.'],
    [{ name: 'Ann', age: true }, '/age', 'must be a number.'],
    [{ name: 'Ann', isMember: 'on' }, '/isMember', 'must be true or false.'],
    [{ name: 'Ann', isMember: 1 }, '/isMember', 'must be true or false.'],
    [{ name: 'Ann', since: 'yesterday' }, '/since', 'must be an ISO 8601 date.'],
    [{ name: 'Ann', since: '2026-02-30' }, '/since', 'must be an ISO 8601 date.'],
    [{ name: 'Ann', since: '2026-13-01' }, '/since', 'must be an ISO 8601 date.'],
    [{ name: 'Ann', size: 'L' }, '/size', 'must be one of S, M.'],
    [{ name: 'Ann', 'a/b': 1 }, '/a~1b', 'is not a known field.'],
  ])('refuses %j', (body, path, message) =>
    expect(answering(form, { body })).toEqual({ problems: [{ path, message }] }),
  );

  it('says all that is wrong at once', () =>
    expect(answering(form, { body: { age: 'x', size: 'L' } })).toMatchObject({
      problems: [{ path: '/name' }, { path: '/age' }, { path: '/size' }],
    }));

  it('takes a field of any name, and nothing inherited for an answer', () => {
    const odd: HumanRequest = {
      kind: 'form',
      fields: [field('__proto__', 'text'), field('toString', 'text', { required: true })],
    };

    expect(answering(odd, { body: {} })).toEqual({ problems: [{ path: '/toString', message: 'is required.' }] });
    const body = JSON.parse('{"__proto__": "a", "toString": "b"}') as object;
    expect(JSON.stringify(answering(odd, { body }))).toBe('{"answer":{"__proto__":"a","toString":"b"}}');
  });

  it('does not look at the query', () =>
    expect(answering(form, { body: { name: 'Ann' }, query: { age: 'x' } })).toHaveProperty('answer'));
});

describe('answerOf a webhook', () => {
  it.each([
    [{ a: 1 }, { a: 1 }],
    ['text', 'text'],
    [undefined, null],
  ])('is the request with the body %j', (body, received) =>
    expect(answering({ kind: 'webhook' }, { body, headers: { 'x-a': 'b' }, query: { q: '1' } })).toEqual({
      answer: { body: received, headers: { 'x-a': 'b' }, queryParams: { q: '1' } },
    }),
  );
});

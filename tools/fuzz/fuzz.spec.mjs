import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { operationsOf, requestNumber } from './requests.mjs';
import { answerCheck, rulesWith } from './rules.mjs';
import { Things } from './things.mjs';

const schema = { type: 'object', required: ['displayName'], properties: { displayName: { type: 'string' }, more: {} } };
const described = {
  requestBody: { content: { 'application/json': { schema } } },
  responses: { 200: { content: { 'application/json': { schema: { ...schema, additionalProperties: false } } } } },
};
const document = { paths: { '/api/v1/folders/{id}': { post: described } } };

function requests(seed) {
  const things = new Things();
  things.remember('folders', 'folder-1');
  const keys = { owner: 'sk-owner', other: 'sk-other', admin: 'sk-admin' };
  const world = { document, operations: operationsOf(document), things, keys };
  return Array.from({ length: 300 }, (_, number) => requestNumber(number, seed, world));
}

describe('the requests', () => {
  it('are the same for the same seed, and others for another', () => {
    assert.deepEqual(requests(7), requests(7));
    assert.notDeepEqual(requests(7), requests(8));
  });
});

describe('the rules', () => {
  const operation = { path: '/api/v1/folders/{id}', method: 'POST', spec: described };
  /** @type {[what: string, text: string][]} */
  const secrets = [['the key', 'sk-hidden-away']];
  const broken = rulesWith({ secrets, word: 'foreignword', slowest: 2, answers: answerCheck(document) });
  const good = { displayName: 'x' };
  const error = { statusCode: 400, code: 'VALIDATION', params: { message: 'It is wrong.' } };
  const answer = (status, body, more = {}) => ({
    status,
    headers: { 'x-request-id': 'r', 'content-type': 'application/json' },
    text: JSON.stringify(body),
    ms: 5,
    ...more,
  });

  it('find nothing in an answer that is in order', () => {
    assert.deepEqual(broken({ operation, holder: 'owner' }, answer(400, error)), []);
    assert.deepEqual(broken({ operation, holder: 'other' }, answer(200, { displayName: 'foreignword' })), []);
  });

  it('take no description of a package for SQL of the service', () => {
    const catalogue = { operation: { path: '/api/v1/pieces/catalogue', method: 'GET', spec: {} }, holder: 'owner' };
    const described = answer(200, { displayName: 'Select a row from a table' });
    assert.deepEqual(broken(catalogue, described), []);
  });

  /** @type {[what: string, answer: object, found: RegExp][]} */
  const faults = [
    ['a failure of the server', answer(500, { ...error, statusCode: 500 }), /answered 500/],
    ['a connection that was cut', { cut: 'socket hang up' }, /no answer/],
    ['one field too many', answer(400, { ...error, stack: '' }), /the fields code,params,stack,statusCode/],
    ['another status in the body', answer(404, error), /statusCode 400/],
    ['an answer that is not JSON', answer(400, error, { text: '<html>' }), /not JSON/],
    ['a missing request id', answer(200, good, { headers: {} }), /x-request-id/],
    ['a slow answer', answer(200, good, { ms: 2_001 }), /longer than 2 s/],
    ['a stack', answer(200, { displayName: 'x\n    at run (/app/main.cjs:1:2)' }), /a stack trace/],
    ['SQL', answer(200, { displayName: 'select id from flow' }), /SQL/],
    ['a secret', answer(200, { displayName: 'sk-hidden-away' }), /the key/],
    ['a field that is not described', answer(200, { ...good, secret: 1 }), /otherwise than described/],
    ['a status that is not described', answer(201, good), /201, which is not described/],
    ['a word of another tenant', answer(200, { displayName: 'foreignword' }), /another tenant/],
  ];
  for (const [what, bad, found] of faults)
    it(`find ${what}`, () => assert.match(broken({ operation, holder: 'owner' }, bad).join('; '), found));
});

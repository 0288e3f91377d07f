import { requestIds } from './request-ids';

const KEY = Buffer.alloc(32, 7);

describe('requestIds', () => {
  const requestId = requestIds(KEY);

  it('names the wait of a step alike in every process', () =>
    expect(requestIds(Buffer.from(KEY))('run:step', 1)).toBe(requestId('run:step', 1)));

  it('makes ids of 128 bits that a URL can hold', () => expect(requestId('run:step', 1)).toMatch(/^[\w-]{22}$/));

  it('names every wait of every step otherwise, under every key', () => {
    const ids = [
      requestId('run:step', 1),
      requestId('run:step', 2),
      requestId('run:step_1', 1),
      requestId('other:step', 1),
      requestIds(Buffer.alloc(32, 8))('run:step', 1),
    ];

    expect(new Set(ids).size).toBe(ids.length);
  });
});

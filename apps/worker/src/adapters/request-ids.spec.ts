import { RequestIds } from './request-ids';

const KEY = Buffer.alloc(32, 7);

describe('RequestIds', () => {
  const requestId = new RequestIds(KEY).of;

  it('names the wait of a step alike in every process', () =>
    expect(new RequestIds(Buffer.from(KEY)).of('run:step', 1)).toBe(requestId('run:step', 1)));

  it('makes ids of 128 bits that a URL can hold', () => expect(requestId('run:step', 1)).toMatch(/^[\w-]{22}$/));

  it('names every wait of every step otherwise, under every key', () => {
    const ids = [
      requestId('run:step', 1),
      requestId('run:step', 2),
      requestId('run:step_1', 1),
      requestId('other:step', 1),
      new RequestIds(Buffer.alloc(32, 8)).of('run:step', 1),
    ];

    expect(new Set(ids).size).toBe(ids.length);
  });
});

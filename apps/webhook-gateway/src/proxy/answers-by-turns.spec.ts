import { once } from 'node:events';
import { PassThrough, Readable } from 'node:stream';
import { setImmediate as untilStreamsRest } from 'node:timers/promises';
import { AnswersByTurns } from './answers-by-turns';

const PIECE = 64 * 1024;
const PIECES_OF_TURN = 8;

/** An event loop whose turns end when the test says so, and the answers that it passes on. */
function eventLoop() {
  const ends: (() => void)[] = [];
  const answers = new AnswersByTurns((then) => ends.push(then));
  /** Lets the streams do all that they can, and begins the next turn. */
  const endTurn = async () => {
    await untilStreamsRest();
    for (const end of ends.splice(0)) end();
    await untilStreamsRest();
  };
  /** An answer of so many pieces. `passed` tells how many of them its client has. */
  const ask = (pieces: number) => {
    const api = Readable.from(Array.from({ length: pieces }, () => Buffer.alloc(PIECE)));
    const client = answers.pace(api);
    let bytes = 0;
    client.on('data', (chunk: Buffer) => (bytes += chunk.length));
    return { api, client, passed: () => bytes / PIECE };
  };
  return { answers, ask, endTurn };
}

const sumOf = (asked: { passed: () => number }[]) => asked.reduce((sum, { passed }) => sum + passed(), 0);

describe('AnswersByTurns', () => {
  it('passes small answers on at once', async () => {
    const { answers, ask } = eventLoop();
    ask(20);
    await untilStreamsRest();
    const small = Readable.from([Buffer.alloc(PIECE)]);

    expect(answers.pace(small, PIECE)).toBe(small);
  });

  it('passes no more on in a turn than its bytes, however many ask', async () => {
    const { ask, endTurn } = eventLoop();
    const asked = Array.from({ length: 100 }, () => ask(20));
    await untilStreamsRest();
    const afterTurn = [sumOf(asked)];

    for (let turn = 0; turn < 3; turn++) {
      await endTurn();
      afterTurn.push(sumOf(asked));
    }

    expect(afterTurn).toEqual([1, 2, 3, 4].map((turns) => turns * PIECES_OF_TURN));
  });

  it('lets no answer pass on many pieces while others wait for their first', async () => {
    const { ask, endTurn } = eventLoop();
    const asked = Array.from({ length: 5 * PIECES_OF_TURN }, () => ask(20));

    for (let turn = 0; turn < 5; turn++) await endTurn();

    const [first = 0, ...others] = asked.map((each) => each.passed());
    expect(first).toBeLessThanOrEqual(PIECES_OF_TURN + 1);
    expect(others.filter((passed) => passed !== 1).length).toBeLessThanOrEqual(1);
  });

  it('passes one piece on in a turn that has accepted a connection', async () => {
    const { answers, ask, endTurn } = eventLoop();
    const asked = ask(20);
    await untilStreamsRest();

    for (let turn = 0; turn < 3; turn++) {
      answers.accepted();
      await endTurn();
    }

    expect(asked.passed()).toBe(PIECES_OF_TURN + 3);
  });

  it('gives every answer to its end', async () => {
    const { ask, endTurn } = eventLoop();
    const asked = [1, 5, 40].map((pieces) => ask(pieces));

    for (let turn = 0; turn < 12; turn++) await endTurn();

    expect(asked.map((each) => each.passed())).toEqual([1, 5, 40]);
    expect(asked.map(({ client }) => client.readableEnded)).toEqual([true, true, true]);
  });

  it('lets a client that has gone take no part of a turn, and ends its answer of the api', async () => {
    const { ask, endTurn } = eventLoop();
    const gone = Array.from({ length: PIECES_OF_TURN }, () => ask(20));
    await untilStreamsRest();
    const other = ask(20);
    await untilStreamsRest();
    for (const { client } of gone) client.destroy();
    await endTurn();

    expect(gone.every(({ api }) => api.destroyed)).toBe(true);
    expect(other.passed()).toBe(PIECES_OF_TURN);
  });

  it('breaks an answer off where the api does', async () => {
    const api = new PassThrough();
    const client = new AnswersByTurns().pace(api);
    api.write('half of');
    const [half] = (await once(client, 'data')) as [Buffer];
    const broken = once(client, 'error') as Promise<[Error]>;
    api.destroy(new Error('the api is gone'));

    expect(String(half)).toBe('half of');
    expect((await broken)[0].message).toBe('the api is gone');
  });
});

import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { describe, it } from 'node:test';
import { portOf } from '../tcp-ports.mjs';
import { checkOwnDatabase, checkStores } from './check-stores.mjs';

/** Starts a server that answers each chunk; @returns its address */
async function answering(test, answer) {
  const sockets = new Set();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('data', (chunk) => socket.write(answer(chunk.toString().toLowerCase())));
    socket.on('error', () => socket.destroy()); // whoever asked may leave without a word
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  test.after(() => {
    sockets.forEach((socket) => socket.destroy());
    server.close();
  });
  return `127.0.0.1:${portOf(server)}`;
}

const NO_ANSWER = '';
/** Starts a server that speaks the protocol of Redis and answers each command. */
const redis = (answers) => (chunk) =>
  chunk
    .split(/\*\d+\r\n/)
    .slice(1)
    .map((command) => `${Object.entries(answers).find(([name]) => command.includes(name))?.[1] ?? '+OK'}\r\n`)
    .join('');

/** Lets everybody in, and answers no statement: the protocol of PostgreSQL begins without the type of the message. */
const postgresWithoutAnswers = (chunk) =>
  chunk.startsWith('\0') ? Buffer.from([...AUTHENTICATION_OK, ...READY_FOR_QUERY]) : NO_ANSWER;
const AUTHENTICATION_OK = [...Buffer.from('R'), 0, 0, 0, 8, 0, 0, 0, 0];
const READY_FOR_QUERY = [...Buffer.from('Z'), 0, 0, 0, 5, ...Buffer.from('I')];

describe('the stores that a person has named', () => {
  it('are told apart from what is not there, with the setting to correct', async () => {
    await assert.rejects(
      checkStores({ databaseUrl: 'postgres://flow@127.0.0.1:1/flow' }),
      /ECONNREFUSED.*SVC_DATABASE_URL/,
    );
    await assert.rejects(checkStores({ redisUrl: 'redis://127.0.0.1:1' }), /ECONNREFUSED.*SVC_REDIS_URL/);
  });

  it('are told apart from an address of another kind, which no restart mends', async () => {
    await assert.rejects(checkStores({ databaseUrl: 'http://127.0.0.1:1/flow' }), {
      exitCode: 78,
      message: /SVC_DATABASE_URL is wrong: .*postgres:\/\//,
    });
  });

  it('are let through when they answer', async (test) => {
    const address = await answering(test, redis({ ping: '+PONG' }));

    await checkStores({ redisUrl: `redis://${address}` });
  });

  it('are let through when a password is given and taken, and while they load their data', async (test) => {
    const address = await answering(test, redis({ 'auth\r\n$5\r\nright': '+OK', ping: '-LOADING Redis is loading' }));

    await checkStores({ redisUrl: `redis://:right@${address}` });
  });

  for (const [what, answers] of [
    ['wants a password', { ping: '-NOAUTH Authentication required.' }],
    ['wants another password', { auth: '-WRONGPASS invalid username-password pair or user is disabled.' }],
  ]) {
    it(`says which setting needs another password when Redis ${what}`, async (test) => {
      const address = await answering(test, redis(answers));

      const checked = checkStores({ redisUrl: `redis://:hunter2@${address}` });

      await assert.rejects(checked, (/** @type {Error} */ error) => {
        assert.match(error.message, /\((NOAUTH|WRONGPASS).*\): correct the password in SVC_REDIS_URL/);
        assert.ok(!error.message.includes('hunter2'));
        return true;
      });
    });
  }

  it('are told apart from a server that is no Redis', async (test) => {
    const address = await answering(test, () => 'HTTP/1.1 400 Bad Request\r\n\r\n');

    await assert.rejects(checkStores({ redisUrl: `redis://${address}` }), /answers there is no Redis.*SVC_REDIS_URL/);
  });

  it('are told apart from a server that takes connections and never says a word', async (test) => {
    const address = await answering(test, () => NO_ANSWER);

    await assert.rejects(
      checkStores({ redisUrl: `redis://${address}` }, 100),
      /no answer within 0\.1 s.*SVC_REDIS_URL/,
    );
    await assert.rejects(checkStores({ databaseUrl: `postgres://${address}/flow` }, 100), /timeout.*SVC_DATABASE_URL/);
  });

  it('are told apart from a PostgreSQL that becomes silent at its first statement, which is so for our own too', async (test) => {
    const url = `postgres://flow@${await answering(test, postgresWithoutAnswers)}/flow`;

    await assert.rejects(checkStores({ databaseUrl: url }, 100), /Query read timeout.*SVC_DATABASE_URL/);
    await assert.rejects(checkOwnDatabase({ url }, 100), /silent \(Query read timeout\): start again/);
  });
});

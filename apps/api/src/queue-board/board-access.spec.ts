import { RateLimitedError } from '@millrace/domain';
import { InMemorySignInAttempts } from '@millrace/domain/testing';
import { BoardAccess, BoardCredentialsError } from './board-access';

const PASSWORD = 'pass:wörd of mine';
const basic = (pair: string) => `Basic ${Buffer.from(pair).toString('base64')}`;
const RIGHT = basic(`admin:${PASSWORD}`);

describe('the access to the queue board', () => {
  let now: Date;
  let attempts: InMemorySignInAttempts;
  let access: BoardAccess;

  beforeEach(() => {
    now = new Date('2026-01-01T12:00:00Z');
    attempts = new InMemorySignInAttempts();
    access = newProcess();
  });

  const newProcess = () =>
    new BoardAccess({ username: 'admin', password: PASSWORD }, attempts, {
      now: () => now,
      elapsedMs: () => now.getTime(),
    });
  const guess = async (times: number, address: string, to = access) => {
    for (let n = 0; n < times; n++)
      await expect(to.admit(basic(`admin:${n}`), address)).rejects.toThrow(BoardCredentialsError);
  };

  it('needs the name and the password, which may have colons and any letters', async () => {
    await access.admit(RIGHT, '10.0.0.1');
    for (const other of [undefined, '', 'Basic', 'Basic !', 'Basic Og==', `Bearer ${PASSWORD}`, basic('admin:')])
      await expect(access.admit(other, '10.0.0.2')).rejects.toThrow(BoardCredentialsError);
  });

  it('refuses a network after ten wrong passwords, whatever it sends then, until the window ends', async () => {
    await guess(10, '10.0.0.1');
    for (const sent of [RIGHT, basic('admin:11')])
      await expect(access.admit(sent, '10.0.0.1')).rejects.toThrow(RateLimitedError);

    now = new Date(now.getTime() + 15 * 60 * 1_000);
    await access.admit(RIGHT, '10.0.0.1');
  });

  it('counts the guesses that other processes got', async () => {
    await guess(5, '10.0.0.1');
    await guess(5, '10.0.0.1', newProcess());
    await expect(access.admit(RIGHT, '10.0.0.1')).rejects.toThrow(RateLimitedError);
  });

  it('lets nobody lock others out', async () => {
    for (let n = 0; n < 30; n++) await guess(10, `10.0.${n}.1`);
    await access.admit(RIGHT, '192.0.2.1');
  });

  it('counts no right password, and asks the store once for a browser that sends it again and again', async () => {
    const counted = jest.spyOn(attempts, 'count');
    for (let n = 0; n < 30; n++) await access.admit(RIGHT, '10.0.0.1');
    expect(counted).toHaveBeenCalledTimes(1);
    await guess(10, '10.0.0.1');
  });

  it('does not tell a network that was admitted which of its guesses is right', async () => {
    await access.admit(RIGHT, '10.0.0.1');
    await guess(10, '10.0.0.1');
    await expect(access.admit(basic('admin:11'), '10.0.0.1')).rejects.toThrow(RateLimitedError);
    await expect(access.admit(RIGHT, '10.0.0.1')).rejects.toThrow(RateLimitedError);
  });

  it('gives a guesser no new guesses when somebody else of the network has the right password', async () => {
    for (let n = 0; n < 10; n++) {
      await guess(1, '10.0.0.1');
      await access.admit(RIGHT, '10.0.0.1');
      if (n < 9) await newProcess().admit(RIGHT, '10.0.0.1');
    }

    await expect(access.admit(basic('admin:11'), '10.0.0.1')).rejects.toThrow(RateLimitedError);
  });

  it('takes all addresses of an IPv6 network for one', async () => {
    for (let n = 0; n < 10; n++) await guess(1, `2001:db8::${n}`);
    await expect(access.admit(RIGHT, '2001:db8::ffff')).rejects.toThrow(RateLimitedError);
  });

  it('does not count a request without credentials: every browser begins with one', async () => {
    for (let n = 0; n < 20; n++) await expect(access.admit(undefined, '10.0.0.1')).rejects.toThrow();
    await access.admit(RIGHT, '10.0.0.1');
  });
});

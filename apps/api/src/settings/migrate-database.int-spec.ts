import { once } from 'node:events';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { migrateDatabase } from './migrate-database';

/** What a server of PostgreSQL sends to whom it refuses. */
const refusal = (code: string, message: string): Buffer => {
  const fields = `SFATAL\0C${code}\0M${message}\0\0`;
  const length = Buffer.alloc(4);
  length.writeInt32BE(4 + fields.length);
  return Buffer.concat([Buffer.from('E'), length, Buffer.from(fields)]);
};
const REFUSED = refusal('28P01', 'password is wrong');

describe('the command migrate', () => {
  const { exitCode, env } = process;
  let server: Server;
  let said: string;
  let told: string;

  beforeEach(async () => {
    said = told = '';
    jest.spyOn(process.stdout, 'write').mockImplementation((text) => Boolean((told += String(text))));
    jest.spyOn(process.stderr, 'write').mockImplementation((text) => Boolean((said += String(text))));
    server = createServer((socket) => socket.once('data', () => socket.end())).listen(0, '127.0.0.1');
    await once(server, 'listening');
    process.env = { SVC_DATABASE_URL: `postgres://ada@127.0.0.1:${(server.address() as AddressInfo).port}/flows` };
  });
  afterEach(() => {
    jest.restoreAllMocks();
    server.close();
    Object.assign(process, { exitCode, env });
  });

  it.each([[[]], [['--revert']]])('says in one sentence that the database goes away (%j)', async (args) => {
    await migrateDatabase(args, 0);

    expect(process.exitCode).toBe(1);
    expect(said).toBe(
      'The database cannot be used (Connection terminated unexpectedly): start it, or correct SVC_DATABASE_URL.\n',
    );
  });

  it('says what to do when its role lacks a right', async () => {
    const denied = refusal('42501', 'permission denied for schema public');
    server.removeAllListeners('connection').on('connection', (socket) => socket.once('data', () => socket.end(denied)));

    await migrateDatabase([], 0);

    expect(process.exitCode).toBe(1);
    expect(said).toBe(
      'The database cannot be used (permission denied for schema public): make the role of SVC_DATABASE_URL its owner.\n',
    );
  });

  it('waits while the database is away, and says so once', async () => {
    let asked = 0;
    const comes = new Promise<void>((resolve) => server.on('connection', () => ++asked === 3 && resolve()));
    const ends = migrateDatabase([], 600_000);

    await comes;
    // A server that answers, and refuses the password, ends the waiting.
    server
      .removeAllListeners('connection')
      .on('connection', (socket) => socket.once('data', () => socket.end(REFUSED)));
    await ends;

    expect(
      told.match(/Waiting for the database \(SVC_DATABASE_URL\), for 10 min at most: Connection terminated/g),
    ).toHaveLength(1);
    expect(said).toContain('The database cannot be used (password is wrong)');
    expect(process.exitCode).toBe(1);
  });
});

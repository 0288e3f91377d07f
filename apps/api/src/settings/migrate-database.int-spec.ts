import { once } from 'node:events';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { migrateDatabase } from './migrate-database';

describe('the command migrate', () => {
  const { exitCode, env } = process;
  let server: Server;
  let said: string;

  beforeEach(async () => {
    said = '';
    jest.spyOn(process.stdout, 'write').mockReturnValue(true);
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
    await migrateDatabase(args);

    expect(process.exitCode).toBe(1);
    expect(said).toBe(
      'The database cannot be used (Connection terminated unexpectedly): start it, or correct SVC_DATABASE_URL.\n',
    );
  });
});

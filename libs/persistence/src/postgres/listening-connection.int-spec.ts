import { Client } from 'pg';
import { createTestDatabase, type TestDatabase } from '../testing/test-database';
import { ListeningConnection } from './listening-connection';

/** Counts the statements that are under way on connections at the same time. */
function countStatements(): { most: number } {
  const counted = { most: 0 };
  let underWay = 0;
  const send = Client.prototype.query as (...sent: unknown[]) => Promise<unknown>;
  jest.spyOn(Client.prototype, 'query').mockImplementation(async function (this: Client, ...sent: unknown[]) {
    counted.most = Math.max(counted.most, ++underWay);
    return send.apply(this, sent).finally(() => underWay--);
  });
  return counted;
}

describe('ListeningConnection', () => {
  let database: TestDatabase;
  let connection: ListeningConnection;

  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(() => database.drop());
  beforeEach(() => {
    connection = new ListeningConnection({ databaseUrl: database.url, applicationName: 'channels test' });
  });
  afterEach(async () => {
    await connection.onApplicationShutdown();
    jest.restoreAllMocks();
  });

  it('sends one statement at a time, also when it is told several channels at once', async () => {
    const statements = countStatements();
    const heard = (channel: string) => new Promise<void>((resolve) => connection.on(channel, () => resolve()));
    await heard('first_channel');

    await Promise.all(['second_channel', 'third_channel', 'fourth_channel'].map(heard));

    expect(statements.most).toBe(1);
  });
});

import { ownDatabase, type OwnDatabase } from '@millrace/e2e-support';
import { Client } from 'pg';

/** A database of its own, in which polls are due sooner than a test could wait for. */
export class DuePolls {
  private constructor(private readonly database: OwnDatabase) {}

  static async makeDatabase(): Promise<DuePolls> {
    const database = await ownDatabase(process.env);
    if (!database)
      throw new Error('MILLRACE_TEST_DATABASE_URL is not set: run the end-to-end tests with "npm test -- e2e".');
    return new DuePolls(database);
  }

  get url(): string {
    return this.database.url;
  }

  /** Makes the next poll of the flow due, and ends the claim of a worker that was killed. */
  async makeDue(flowId: string): Promise<void> {
    const client = new Client({ connectionString: this.url });
    await client.connect();
    try {
      const makeDue = 'update trigger_state set due_at = now(), claimed_until = null where flow_id = $1 and is_enabled';
      await client.query(makeDue, [flowId]);
    } finally {
      await client.end();
    }
  }

  drop(): Promise<void> {
    return this.database.drop();
  }
}

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

  /** Makes the next poll of the flow due. False while a poll is under way, or before the first one has settled. */
  makeDue(flowId: string): Promise<boolean> {
    return this.update(
      `update trigger_state set due_at = now() where flow_id = $1 and is_enabled and claimed_until is null
         and exists (select from poll_memory where poll_memory.flow_id = trigger_state.flow_id)`,
      flowId,
    );
  }

  /** Ends the claim of a worker that was killed, which would run out after some minutes. */
  endClaim(flowId: string): Promise<boolean> {
    return this.update('update trigger_state set claimed_until = null where flow_id = $1', flowId);
  }

  drop(): Promise<void> {
    return this.database.drop();
  }

  private async update(statement: string, flowId: string): Promise<boolean> {
    const client = new Client({ connectionString: this.url });
    await client.connect();
    try {
      return (await client.query(statement, [flowId])).rowCount === 1;
    } finally {
      await client.end();
    }
  }
}

import { ownDatabase, type OwnDatabase } from '@millrace/e2e-support';
import { Client } from 'pg';

const DAY_MS = 24 * 60 * 60 * 1_000;
/** The first 12 digits of a run's id are its time of creation. */
const TIME_DIGITS = 12;
const COLUMNS = [
  'flow_run.id',
  'flow_run.parent_run_id',
  'flow_run.retry_of_run_id',
  'run_segment.run_id',
  'run_request.run_id',
  'run_tag.run_id',
  'file.run_id',
];

/** A database of its own, in which runs become older than a test could wait for. */
export class AgedRuns {
  private constructor(private readonly database: OwnDatabase) {}

  static async makeDatabase(): Promise<AgedRuns> {
    const database = await ownDatabase(process.env);
    if (!database)
      throw new Error('MILLRACE_TEST_DATABASE_URL is not set: run the end-to-end tests with "npm test -- e2e".');
    return new AgedRuns(database);
  }

  get url(): string {
    return this.database.url;
  }

  /**
   * Moves the creation of the run, and its ending, this many days back. Returns the run's new id, because the id
   * contains the time of creation.
   */
  async age(runId: string, days: number): Promise<string> {
    const digits = runId.replaceAll('-', '');
    const time = Number.parseInt(digits.slice(0, TIME_DIGITS), 16) - days * DAY_MS;
    const aged = time.toString(16).padStart(TIME_DIGITS, '0') + digits.slice(TIME_DIGITS);
    await this.execute([
      `update flow_run set finish_time = finish_time - interval '${days} days' where id = '${runId}'`,
      ...COLUMNS.map((column) => {
        const [table, name] = column.split('.');
        return `update ${table} set ${name} = '${aged}' where ${name} = '${runId}'`;
      }),
    ]);
    return aged.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  }

  /** Makes the limit of the paused run's waits due. */
  async exhaustPatience(runId: string): Promise<void> {
    await this.execute([`update run_request set due = now() where run_id = '${runId}' and ends_run`]);
  }

  drop(): Promise<void> {
    return this.database.drop();
  }

  private async execute(statements: readonly string[]): Promise<void> {
    const client = new Client({ connectionString: this.url });
    await client.connect();
    try {
      for (const statement of statements) await client.query(statement);
    } finally {
      await client.end();
    }
  }
}

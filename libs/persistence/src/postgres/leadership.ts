import { Logger } from '@nestjs/common';
import { Client } from 'pg';

/** Any number will do, as long as every worker of an installation uses the same. */
const LEADER_LOCK = 7_203_115_001;

/**
 * One process of the installation leads at a time: the one whose connection holds the advisory lock. The lock ends with
 * the connection, so a dead leader is followed by another within its connection's time-out.
 */
export class Leadership {
  private readonly logger = new Logger(Leadership.name);
  private client: Client | null = null;
  private leads = false;

  constructor(private readonly databaseUrl: string) {}

  /** True while this process leads; tries to become the leader when nobody is. False, not an error, without a database. */
  async isLeader(): Promise<boolean> {
    if (this.leads) return true;
    try {
      const client = (this.client ??= await this.connect());
      const { rows } = await client.query<{ leads: boolean }>('select pg_try_advisory_lock($1) as leads', [
        LEADER_LOCK,
      ]);
      this.leads = this.client === client && rows[0]?.leads === true;
      return this.leads;
    } catch (error) {
      this.logger.warn(`Cannot ask who leads, will try again: ${String(error)}`);
      await this.resign();
      return false;
    }
  }

  async resign(): Promise<void> {
    const client = this.client;
    this.forget();
    await client
      ?.end()
      .catch((error: unknown) => this.logger.debug(`Closing the leader's connection: ${String(error)}`));
  }

  private async connect(): Promise<Client> {
    const client = new Client({
      connectionString: this.databaseUrl,
      application_name: 'millrace leader',
      connectionTimeoutMillis: 5_000,
      query_timeout: 5_000,
      keepAlive: true,
    });
    client.on('error', (error) => {
      this.logger.warn(`The leader's connection broke: ${error.message}`);
      if (this.client === client) this.forget();
    });
    client.on('end', () => {
      if (this.client === client) this.forget();
    });
    await client.connect();
    return client;
  }

  private forget(): void {
    this.client = null;
    this.leads = false;
  }
}

import { setTimeout as sleep } from 'node:timers/promises';
import { Inject, Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { FlowChanges } from '@millrace/domain';
import { Client } from 'pg';
import type { EntityManager } from 'typeorm';
import { POSTGRES_SETTINGS, type PostgresSettings } from '../postgres/postgres-settings';

const CHANNEL = 'flow_changed';
const FIRST_WAIT_MS = 100;
const LONGEST_WAIT_MS = 10_000;

/** Sent when the transaction commits, and not at all when it does not. */
export async function announceFlowChange(tx: EntityManager, flowId: string): Promise<void> {
  await tx.query('select pg_notify($1, $2)', [CHANNEL, flowId]);
}

/**
 * Listens on a connection of its own, opened at the first subscription. Whatever is announced while it is away is
 * missed, so each time it is back, listeners hear that everything is doubtful.
 */
@Injectable()
export class PostgresFlowChanges extends FlowChanges implements OnApplicationShutdown {
  private readonly logger = new Logger(PostgresFlowChanges.name);
  private readonly listeners: ((flowId: string | null) => void)[] = [];
  private readonly closing = new AbortController();
  private listening: Promise<void> | null = null;
  private client: Client | null = null;

  constructor(@Inject(POSTGRES_SETTINGS) private readonly settings: PostgresSettings) {
    super();
  }

  subscribe(listener: (flowId: string | null) => void): void {
    this.listeners.push(listener);
    this.listening ??= this.listen();
  }

  async onApplicationShutdown(): Promise<void> {
    this.closing.abort();
    await this.client?.end();
    await this.listening;
  }

  private async listen(): Promise<void> {
    let wait = FIRST_WAIT_MS;
    while (!this.closing.signal.aborted) {
      try {
        const { lost } = await this.connect();
        wait = FIRST_WAIT_MS;
        this.tell(null);
        await lost;
      } catch (error) {
        this.logger.warn(`Cannot listen for flow changes, will try again: ${String(error)}`);
      }
      // Jitter: after a restart of the database not all processes come back in the same instant.
      await sleep(wait * (0.5 + Math.random() / 2), null, { signal: this.closing.signal }).catch(() => null);
      wait = Math.min(wait * 2, LONGEST_WAIT_MS);
    }
  }

  /** Resolves when it listens; the promise inside, when the connection is lost. */
  private async connect(): Promise<{ lost: Promise<void> }> {
    const client = new Client({
      connectionString: this.settings.databaseUrl,
      application_name: `${this.settings.applicationName} listener`,
      connectionTimeoutMillis: 5_000,
      query_timeout: 5_000,
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
    });
    this.client = client;
    client.on('notification', ({ payload }) => this.tell(payload ?? null));
    client.on('error', (error) => this.logger.warn(`The connection for flow changes broke: ${error.message}`));
    const lost = new Promise<void>((resolve) => client.once('end', resolve));
    await client.connect();
    try {
      await client.query(`listen ${CHANNEL}`);
    } catch (error) {
      await client.end();
      throw error;
    }
    return { lost };
  }

  private tell(flowId: string | null): void {
    for (const listener of this.listeners) listener(flowId);
  }
}

import { setTimeout as sleep } from 'node:timers/promises';
import { Outage } from '@millrace/domain';
import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import type { Client } from 'pg';
import { logOutages } from '../log-outages';
import { TIME_LIMITS } from '../time-limits';
import { connectionOptions } from './connection-options';
import { PostgresSettings, type DatabaseAddress } from './postgres-settings';
import { WatchedClient } from './watched-client';

const FIRST_WAIT_MS = 100;
const LONGEST_WAIT_MS = 10_000;

/** `payload` is null when notifications may have been missed because the connection did not listen. */
export type ChannelListener = (payload: string | null) => void;

/**
 * The one connection of a process that listens for notifications of PostgreSQL. The first listener opens it, in a
 * session of its own. Notifications are missed while it is down, so every listener is called with null when its channel
 * is listened to for the first time and each time the connection is back.
 */
@Injectable()
export class ListeningConnection implements OnApplicationShutdown {
  /** The connections that parts of this process share, by their URL. */
  private static readonly shared = new Map<string, ListeningConnection>();

  /** Returns the connection of this process. Each caller ends its own use of it by `onApplicationShutdown`. */
  static share(settings: PostgresSettings): ListeningConnection {
    const url = sessionUrlOf(settings);
    const open = ListeningConnection.shared.get(url);
    if (open) {
      open.users++;
      return open;
    }
    const connection = new ListeningConnection(settings);
    ListeningConnection.shared.set(url, connection);
    return connection;
  }

  private users = 1;
  private readonly logger = new Logger(ListeningConnection.name);
  private readonly outage = new Outage(
    {
      begins: 'Notifications of PostgreSQL cannot be listened to. It is tried again until they can.',
      ends: 'Notifications of PostgreSQL are listened to again.',
    },
    logOutages(this.logger),
  );
  private readonly listeners = new Map<string, ChannelListener[]>();
  private readonly closing = new AbortController();
  private listening: Promise<void> | null = null;
  private client: Client | null = null;
  /** The channels that the present connection listens to; null until it is connected. */
  private heard: Set<string> | null = null;
  /** Settles with the last statement that was sent. */
  private sending: Promise<unknown> = Promise.resolve();

  constructor(private readonly settings: PostgresSettings) {}

  /** `channel` consists of lower case letters and underscores: it becomes part of a statement. */
  on(channel: string, listener: ChannelListener): void {
    const others = this.listeners.get(channel);
    if (others) others.push(listener);
    else this.listeners.set(channel, [listener]);
    if (this.client && this.heard) void this.hearMore(this.client, this.heard);
    this.listening ??= this.listen();
  }

  /** The connection goes on to listen to the channel, which costs little. */
  off(channel: string, listener: ChannelListener): void {
    const others = this.listeners.get(channel)?.filter((other) => other !== listener);
    if (others) this.listeners.set(channel, others);
  }

  async onApplicationShutdown(): Promise<void> {
    if (--this.users > 0) return;
    const url = sessionUrlOf(this.settings);
    if (ListeningConnection.shared.get(url) === this) ListeningConnection.shared.delete(url);
    this.closing.abort();
    await this.client?.end();
    await this.listening;
  }

  private async listen(): Promise<void> {
    let wait = FIRST_WAIT_MS;
    while (!this.closing.signal.aborted) {
      try {
        const { lost } = await this.connect();
        this.outage.succeeded();
        wait = FIRST_WAIT_MS;
        await lost;
      } catch (error) {
        if (!this.closing.signal.aborted) this.outage.failed(error);
      }
      // The jitter keeps all processes from connecting in the same instant after a restart of the database.
      await sleep(wait * (0.5 + Math.random() / 2), null, { signal: this.closing.signal }).catch(() => null);
      wait = Math.min(wait * 2, LONGEST_WAIT_MS);
    }
  }

  /** Resolves when the connection listens. `lost` resolves when the connection ends. */
  private async connect(): Promise<{ lost: Promise<void> }> {
    const options = connectionOptions(sessionUrlOf(this.settings), `${this.settings.applicationName} listener`);
    const client = new WatchedClient({ ...options, query_timeout: TIME_LIMITS.listenerMs });
    this.client = client;
    this.heard = null;
    this.sending = Promise.resolve();
    client.on('notification', ({ channel, payload }) => this.tell(channel, payload ?? null));
    client.on('error', (error) => this.logger.warn(`The listening connection broke: ${error.message}`));
    const lost = new Promise<void>((resolve) => client.once('end', resolve));
    await Promise.race([client.connect(), lost.then(failToConnect)]);
    const heartbeat = setInterval(() => this.ask(client), TIME_LIMITS.heartbeatMs);
    void lost.then(() => clearInterval(heartbeat));
    this.heard = new Set();
    try {
      await this.hear(client, this.heard);
    } catch (error) {
      await client.end();
      throw error;
    }
    return { lost };
  }

  /** Sends each statement after the answer to the one before: node-postgres is to keep no queue of statements. */
  private send(client: Client, statement: string): Promise<unknown> {
    const sent = this.sending.then(() => client.query(statement));
    this.sending = sent.catch(() => undefined); // who sent it learns of its failure
    return sent;
  }

  /** A WatchedClient ends itself when the database does not answer this statement in time. */
  private ask(client: Client): void {
    this.send(client, 'select 1').catch((error: unknown) => this.logger.debug(`No heartbeat: ${String(error)}`));
  }

  private async hear(client: Client, heard: Set<string>): Promise<void> {
    for (const channel of this.listeners.keys()) {
      if (heard.has(channel)) continue;
      heard.add(channel);
      await this.send(client, `listen ${channel}`);
      this.tell(channel, null);
    }
  }

  /** A connection that fails to listen to a further channel is ended. The next connection listens to all channels. */
  private async hearMore(client: Client, heard: Set<string>): Promise<void> {
    try {
      await this.hear(client, heard);
    } catch (error) {
      this.logger.warn(`Cannot listen to a further channel, will connect again: ${String(error)}`);
      await client.end();
    }
  }

  private tell(channel: string, payload: string | null): void {
    for (const listener of this.listeners.get(channel) ?? []) listener(payload);
  }
}

const sessionUrlOf = ({ databaseUrl, sessionUrl }: DatabaseAddress): string => sessionUrl ?? databaseUrl;

/** A client that is ended while it connects never settles `connect`. */
function failToConnect(): never {
  throw new Error('The connection was ended while it was made.');
}

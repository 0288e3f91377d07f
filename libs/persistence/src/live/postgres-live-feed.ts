import { LiveFeed, type LiveChanges, type WatchNotice } from '@millrace/domain';
import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { Pool } from 'pg';
import { ListeningConnection } from '../postgres/listening-connection';
import { newId } from '../postgres/new-id';
import { ASKED, changesIn, CHANGED, NOTIFY, WATCHED } from './live-notices';

/** Shorter than a third of SILENT_AFTER_MS, so that a lost notification does no harm. */
const REPEAT_EVERY_MS = 9_000;
/** How many ids one notification holds. */
const IDS_AT_ONCE = 150;

/**
 * Tells all processes by NOTIFY what the clients of this one watch: when it changes, every few seconds, and when another
 * process asks. Every process hears every publication, so several processes can serve clients.
 */
@Injectable()
export class PostgresLiveFeed extends LiveFeed implements OnApplicationShutdown {
  private readonly logger = new Logger(PostgresLiveFeed.name);
  private readonly from = newId();
  private readonly watched = new Set<string>();
  private readonly added = new Set<string>();
  private readonly dropped = new Set<string>();
  private telling: Promise<void> = Promise.resolve();
  /** The next telling, which has not begun. */
  private next: Promise<void> | null = null;
  private repeating: NodeJS.Timeout | null = null;
  private isListening = false;

  constructor(
    private readonly pool: Pool,
    private readonly connection: ListeningConnection,
  ) {
    super();
  }

  override watch(id: string): Promise<void> {
    this.listenForQuestions();
    this.watched.add(id);
    this.added.add(id);
    this.dropped.delete(id);
    this.repeating ??= setInterval(() => this.repeat(), REPEAT_EVERY_MS);
    return this.tellSoon();
  }

  override unwatch(id: string): void {
    if (!this.watched.delete(id)) return;
    this.added.delete(id);
    this.dropped.add(id);
    if (this.watched.size === 0 && this.repeating) {
      clearInterval(this.repeating);
      this.repeating = null;
    }
    this.tellSoon().catch((error: unknown) => this.warn(error));
  }

  override listen(listener: (changes: LiveChanges | null) => void): void {
    this.connection.on(CHANGED, (payload) => listener(payload === null ? null : changesIn(payload)));
  }

  onApplicationShutdown(): void {
    if (this.repeating) clearInterval(this.repeating);
  }

  private listenForQuestions(): void {
    if (this.isListening) return;
    this.isListening = true;
    this.connection.on(ASKED, () => this.repeat());
  }

  private repeat(): void {
    if (this.watched.size === 0) return;
    for (const id of this.watched) this.added.add(id);
    this.tellSoon().catch((error: unknown) => this.warn(error));
  }

  /** Tellings follow one another. What changes while one is under way is told by the next. */
  private tellSoon(): Promise<void> {
    if (this.next) return this.next;
    const next = this.telling.then(() => {
      this.next = null;
      return this.tell();
    });
    this.next = next;
    this.telling = next.catch(() => undefined);
    return next;
  }

  private async tell(): Promise<void> {
    const [added, dropped] = [[...this.added], [...this.dropped]];
    this.added.clear();
    this.dropped.clear();
    try {
      await this.send(added, dropped);
    } catch (error) {
      for (const id of dropped) if (!this.watched.has(id)) this.dropped.add(id);
      throw error;
    }
  }

  private async send(added: readonly string[], dropped: readonly string[]): Promise<void> {
    const notices: WatchNotice[] = [];
    for (let i = 0; i < Math.max(added.length, dropped.length); i += IDS_AT_ONCE)
      notices.push({
        from: this.from,
        added: added.slice(i, i + IDS_AT_ONCE),
        dropped: dropped.slice(i, i + IDS_AT_ONCE),
      });
    if (notices.length === 0) return;
    const payloads = notices.map((notice) => JSON.stringify(notice));
    await this.pool.query({ name: 'notify-live', text: NOTIFY, values: [WATCHED, payloads] });
  }

  private warn(error: unknown): void {
    this.logger.debug(`Other processes do not know yet what is watched here: ${String(error)}`);
  }
}

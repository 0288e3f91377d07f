import { principalName, RateLimitedError, type DomainError } from '@millrace/domain';
import { Injectable, Optional, type OnApplicationShutdown } from '@nestjs/common';
import { setTimeout as sleep } from 'node:timers/promises';
import { errorBody } from './error-body';
import { FairBound } from './fair-bound';
import { LiveAccess, type LiveSession } from './live-access';
import { LIVE_LIMITS, tooManyOfProject, type LiveLimits } from './live-limits';
import type { LiveSocket } from './live-messages';
import { drop, GOODBYE_MS, transportOf, type LiveTransport } from './live-transport';

const LOOK_AT_UNREAD_EVERY_MS = 1_000;
/** Between two such parts of a check, other work of the process has its turn. */
const CHECKED_AT_ONCE = 200;

/**
 * The clients that are connected to this process. Cuts off those whose credentials no longer hold and those that do not
 * read what they get.
 */
@Injectable()
export class LiveConnections implements OnApplicationShutdown {
  private readonly sockets = new Set<LiveSocket>();
  private readonly byProject: FairBound;
  private readonly unreadSince = new WeakMap<LiveTransport, number>();
  private readonly closing = new AbortController();
  private looking: NodeJS.Timeout | null = null;
  private isChecking = false;

  constructor(
    private readonly access: LiveAccess,
    @Optional() private readonly limits: LiveLimits = LIVE_LIMITS,
  ) {
    this.byProject = new FairBound(limits.connections);
  }

  get count(): number {
    return this.sockets.size;
  }

  /** Throws RateLimitedError when the principal or the project has as many connections as it may have. */
  assertRoomFor({ principal, projectId }: LiveSession): void {
    const name = principalName(principal);
    const own = [...this.sockets].filter(({ data }) => principalName(data.session.principal) === name);
    if (own.length >= this.limits.connectionsPerPrincipal)
      throw new RateLimitedError(
        60,
        `You have ${own.length} live connections, which is the limit`,
        this.limits.connectionsPerPrincipal,
      );
    if (!this.byProject.hasRoomFor(projectId)) throw tooManyOfProject(this.byProject.of(projectId), 'live connections');
  }

  add(socket: LiveSocket): void {
    this.sockets.add(socket);
    const giveBack = this.byProject.take(socket.data.session.projectId);
    socket.once('disconnect', () => {
      giveBack();
      this.remove(socket);
    });
    this.looking ??= setInterval(() => this.lookAtUnread(), LOOK_AT_UNREAD_EVERY_MS);
    void this.keepChecking();
  }

  /** Tells the client why, and ends its connection. */
  cut(socket: LiveSocket, error: unknown): void {
    socket.emit('closed', errorBody(error));
    socket.disconnect(true);
    const transport = transportOf(socket);
    setTimeout(() => drop(transport), GOODBYE_MS).unref();
  }

  /**
   * Tells every client why its connection ends, and resolves when all have ended. The clients are not told to stay away,
   * so those of socket.io connect again by themselves.
   */
  async closeAll(reason: unknown): Promise<void> {
    const transports = [...this.sockets].map(transportOf);
    const closed = transports.map((transport) => new Promise<void>((resolve) => transport.once('close', resolve)));
    for (const socket of this.sockets) socket.emit('closed', errorBody(reason));
    for (const transport of transports) transport.close(false);
    await Promise.race([Promise.all(closed), sleep(GOODBYE_MS, null, { ref: false })]);
  }

  onApplicationShutdown(): void {
    this.closing.abort();
    if (this.looking) clearInterval(this.looking);
  }

  private remove(socket: LiveSocket): void {
    this.sockets.delete(socket);
    if (this.sockets.size > 0 || !this.looking) return;
    clearInterval(this.looking);
    this.looking = null;
  }

  /** Checks all credentials again and again, many at once, for as long as there are clients. */
  private async keepChecking(): Promise<void> {
    if (this.isChecking) return;
    this.isChecking = true;
    while (this.sockets.size > 0 && !this.closing.signal.aborted) {
      await sleep(this.limits.checkEveryMs, null, { signal: this.closing.signal }).catch(() => null);
      const groups = bySession(this.sockets);
      for (let from = 0; from < groups.length; from += CHECKED_AT_ONCE)
        await this.check(groups.slice(from, from + CHECKED_AT_ONCE));
    }
    this.isChecking = false;
  }

  /** Cuts off whom the check refuses. While the database is away nothing can be checked, and nothing is published either. */
  private async check(groups: readonly SessionGroup[]): Promise<void> {
    const refused = await this.access
      .checkAll(groups.map(({ session }) => session))
      .catch(() => new Map<LiveSession, DomainError>());
    for (const { session, sockets } of groups) {
      const error = refused.get(session);
      for (const socket of sockets)
        if (error) this.cut(socket, error);
        else socket.data.session.principal = session.principal;
    }
  }

  private lookAtUnread(): void {
    const now = performance.now();
    for (const socket of this.sockets) {
      const transport = transportOf(socket);
      if (transport.writeBuffer.length === 0) {
        this.unreadSince.delete(transport);
        continue;
      }
      const since = this.unreadSince.get(transport) ?? now;
      this.unreadSince.set(transport, since);
      if (now - since >= this.limits.unreadMs || transport.writeBuffer.length > this.limits.unreadMessages)
        drop(transport);
    }
  }
}

/** The clients with the same token and project, which are checked together. */
interface SessionGroup {
  /** That of one of them. */
  session: LiveSession;
  sockets: LiveSocket[];
}

function bySession(sockets: Iterable<LiveSocket>): SessionGroup[] {
  const groups = new Map<string, SessionGroup>();
  for (const socket of sockets) {
    const { session } = socket.data;
    const key = `${session.projectId} ${session.token}`;
    const group = groups.get(key);
    if (group) group.sockets.push(socket);
    else groups.set(key, { session, sockets: [socket] });
  }
  return [...groups.values()];
}

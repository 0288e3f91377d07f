import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../clock';
import { ConnectionValues, type FoundConnection } from './connection';
import { canRefresh, hasExpired, isDueForRefresh, type OAuth2Value } from './oauth2-value';
import { OAuth2Refusal, TokenEndpoint } from './token-endpoint';

// F1. Of all processes one refreshes a connection at a time: who has claimed its row. The claim ends by itself, so a
//     process that dies holds nobody up for long.
// F2. While a token is valid, nobody waits for a refresh that another process performs.
// F3. A refresh that lost its claim, or a connection that a person replaced meanwhile, is not overwritten.

/** How long a claim holds: longer than the token endpoint may take. */
export const REFRESH_LEASE_SECONDS = 20;
const LONGEST_WAIT_MS = 30_000;
const ASK_AGAIN_MS = 250;

const NO_REFRESH_TOKEN = 'Its access token has expired, and the provider gave no refresh token: connect it again.';
const STILL_REFRESHED = 'Its access token has expired, and another process is still asking for the next one.';

/** `busy` means that another process performs it. */
export type RefreshResult = 'done' | 'busy' | OAuth2Refusal;

/** The right to refresh a connection. */
export interface RefreshClaim {
  connectionId: string;
  projectId: string;
  externalId: string;
  epoch: number;
  value: OAuth2Value;
}

/** How a refresh ended. `problem` marks the connection as unusable; null leaves it as it was. */
export type RefreshOutcome = { value: OAuth2Value } | { problem: string } | null;

export abstract class ConnectionRefreshes {
  /** Null while another process has the claim, and for a connection that is in error, unreadable or gone. */
  abstract claim(connectionId: string): Promise<RefreshClaim | null>;
  abstract settle(claim: RefreshClaim, outcome: RefreshOutcome): Promise<void>;
}

export interface FreshConnectionPorts {
  values: ConnectionValues;
  refreshes: ConnectionRefreshes;
  endpoint: TokenEndpoint;
  clock: Clock;
}

/** The values of connections, with access tokens that are refreshed before they expire. */
export class FreshConnections extends ConnectionValues {
  /** The refreshes under way in this process, by connection. */
  private readonly underWay = new Map<string, Promise<RefreshResult>>();

  constructor(private readonly ports: FreshConnectionPorts) {
    super();
  }

  async find(projectId: string, externalIds: readonly string[]): Promise<ReadonlyMap<string, FoundConnection>> {
    const found = await this.ports.values.find(projectId, externalIds);
    if (![...found.values()].some((each) => this.isDue(each))) return found;
    const fresh = [...found].map(async ([externalId, connection]) => {
      return [externalId, await this.fresh(projectId, externalId, connection)] as const;
    });
    return new Map(await Promise.all(fresh));
  }

  /** Replaces the tokens of a connection now, whether they are due or not. */
  async refreshNow(connectionId: string): Promise<RefreshResult> {
    const claim = await this.ports.refreshes.claim(connectionId);
    return claim ? this.perform(claim) : 'busy';
  }

  private isDue(connection: FoundConnection): boolean {
    const { value } = connection;
    return value?.type === 'OAUTH2' && isDueForRefresh(value, this.ports.clock.now());
  }

  /** F2 is kept here: only who finds an expired token waits for another process. */
  private async fresh(projectId: string, externalId: string, found: FoundConnection): Promise<FoundConnection> {
    const deadline = performance.now() + LONGEST_WAIT_MS;
    let latest: FoundConnection | undefined = found;
    while (latest?.value?.type === 'OAUTH2' && this.isDue(latest)) {
      const { id, value } = latest;
      const isUsable = !hasExpired(value, this.ports.clock.now());
      if (!canRefresh(value)) return isUsable ? latest : { id, problem: NO_REFRESH_TOKEN };
      const outcome = await this.refresh(id);
      if (outcome === 'done') return (await this.read(projectId, externalId)) ?? latest;
      if (isUsable && !(outcome instanceof OAuth2Refusal && outcome.isFinal)) return latest;
      if (outcome instanceof OAuth2Refusal) return { id, problem: outcome.message };
      if (performance.now() > deadline) return { id, problem: STILL_REFRESHED };
      await sleep(ASK_AGAIN_MS);
      latest = await this.read(projectId, externalId);
    }
    return latest ?? found;
  }

  private async read(projectId: string, externalId: string): Promise<FoundConnection | undefined> {
    return (await this.ports.values.find(projectId, [externalId])).get(externalId);
  }

  private refresh(connectionId: string): Promise<RefreshResult> {
    const refresh =
      this.underWay.get(connectionId) ??
      this.claimAndRefresh(connectionId).finally(() => this.underWay.delete(connectionId));
    this.underWay.set(connectionId, refresh);
    return refresh;
  }

  private async claimAndRefresh(connectionId: string): Promise<RefreshResult> {
    const { refreshes, clock } = this.ports;
    const claim = await refreshes.claim(connectionId);
    if (!claim) return 'busy';
    if (isDueForRefresh(claim.value, clock.now())) return this.perform(claim);
    // Another process has refreshed it since this one read it.
    await refreshes.settle(claim, null);
    return 'done';
  }

  private async perform(claim: RefreshClaim): Promise<'done' | OAuth2Refusal> {
    const { refreshes, endpoint, clock } = this.ports;
    let value: OAuth2Value;
    try {
      value = await endpoint.refresh(claim.projectId, claim.value, clock.now());
    } catch (error) {
      if (!(error instanceof OAuth2Refusal)) throw error;
      await refreshes.settle(claim, error.isFinal ? { problem: error.message } : null);
      return error;
    }
    await refreshes.settle(claim, { value });
    return 'done';
  }
}

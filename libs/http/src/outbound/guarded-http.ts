import {
  byLabel,
  Durations,
  METRICS,
  Metrics,
  OutboundFailure,
  OutboundHttp,
  Tally,
  type OutboundAnswer,
  type OutboundRequest,
} from '@millrace/domain';
import { Injectable, Optional } from '@nestjs/common';
import type { Socket } from 'node:net';
import type { Agent, buildConnector, Dispatcher } from 'undici';
import { AddressGuard } from './address-guard';
import { Tracing } from '../tracing/tracing';
import { CallLine, type CallBounds } from './call-line';
import { withinSpan } from './call-span';
import { isDecoded, readBody } from './answer-body';
import { startDeadline, type Deadline } from './deadline';
import { asFailure, isClosed } from './failures';
import { firstHop, isRedirect, redirectedHop, type Hop } from './hop';
import { OutboundTrust } from './outbound-trust';
import { retryAfterMs } from './retry-after';
import { StandstillWatch } from './standstill-watch';

// O1. Every connection is made to an address that the guard has just returned, without resolving a name again. This
//     holds for every hop, every new connection of the pool, and every literal address.
// O2. One clock covers the look-up, the connection, all hops and the whole answer. It begins when it is the call's
//     turn, because the time in the queue is not the target's fault.
// O3. No request is sent twice, but one with an idempotency key whose connection was closed while this process stood
//     still. The caller may repeat any other request that failed.

/** The class is also the token of these options. */
export abstract class GuardedHttpOptions {
  abstract readonly bounds?: CallBounds;
  abstract readonly now?: () => number;
  /** Makes the connection to a checked address. The default is undici's connector. */
  abstract readonly connector?: buildConnector.connector;
  /** How long this process must have stood still before it counts. */
  abstract readonly standstillMs?: number;
}

const DEFAULT_TIMEOUT_MS = 30_000;
const MOST_TIMEOUT_MS = 300_000;
const DEFAULT_ANSWER_BYTES = 10 * 1024 * 1024;
const MOST_REDIRECTS = 5;
const MOST_HEADER_BYTES = 32_768;
/** How much is read of a body that nobody wants. A connection can be used again when its body was read to the end. */
const MOST_IGNORED_BYTES = 16_384;
/** How long such a body is read. The call does not wait for one that stalls: its answer is there. */
const MOST_IGNORED_MS = 500;
const BOUNDS: CallBounds = { calls: 128, extra: 64 };
const IDLE_MS = 4_000;
const CONNECT_MS = 5_000;
/** Targets keep idle connections for longer. */
const STANDSTILL_MS = 2_000;

/** OutboundHttp over a pool of guarded connections. The first request loads undici. */
@Injectable()
export class GuardedHttp extends OutboundHttp {
  private agent: Promise<Agent> | null = null;
  private readonly line: CallLine;
  private readonly standstills: StandstillWatch;
  private readonly now: () => number;
  /** The call that is being handed to undici, which begins a new connection for it in the same turn. */
  private handed: AbortSignal | undefined;
  private readonly results = new Tally<string>();
  private readonly durations = new Durations([0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]);

  constructor(
    private readonly guard: AddressGuard,
    @Optional() private readonly options: GuardedHttpOptions = {},
    @Optional() metrics?: Metrics,
    @Optional() private readonly tracing?: Tracing,
    @Optional() private readonly trust: OutboundTrust = {},
  ) {
    super();
    this.line = new CallLine(options.bounds ?? BOUNDS);
    this.standstills = new StandstillWatch(options.standstillMs ?? STANDSTILL_MS);
    this.now = options.now ?? Date.now;
    metrics?.report(METRICS.outboundCalls, () => byLabel('result', this.results.entries()));
    metrics?.report(METRICS.outboundDuration, () => this.durations);
    metrics?.report(METRICS.outboundWaiting, () => this.line.waitingCalls);
  }

  async send(request: OutboundRequest): Promise<OutboundAnswer> {
    const hop = firstHop(request);
    return this.line.send(request.projectId ?? '', request.signal, () => this.sendNow(hop, request));
  }

  /** Ends every connection. Calls under way fail with `aborted`, because a name server might never answer them. */
  async close(): Promise<void> {
    this.line.close();
    this.standstills.end();
    await (await this.agent)?.destroy(new OutboundFailure('aborted', 'The call was stopped.'));
  }

  private async sendNow(hop: Hop, request: OutboundRequest): Promise<OutboundAnswer> {
    const deadline = startDeadline(timeLimitOf(request), request.signal);
    const began = performance.now();
    try {
      const answer = await withinSpan(this.tracing, hop, (first) =>
        deadline.within(this.follow(first, request, deadline)),
      );
      this.results.add(`${Math.floor(answer.status / 100)}xx`);
      return answer;
    } catch (error) {
      this.results.add(error instanceof OutboundFailure ? error.reason : 'error');
      throw error;
    } finally {
      this.durations.add((performance.now() - began) / 1_000);
      deadline.end();
    }
  }

  private async follow(first: Hop, request: OutboundRequest, { signal }: Deadline): Promise<OutboundAnswer> {
    let hop = first;
    if (request.plainHttpOnlyToListed) await this.assertTlsOrListed(hop, signal);
    for (let redirects = 0; ; redirects++) {
      try {
        const answer = await this.exchange(hop, signal);
        const headers = headersOf(answer);
        const location = headers['location'];
        if (request.followRedirects === false || !isRedirect(answer.statusCode) || location === undefined)
          return await this.read(hop, answer, headers, request);
        await discard(answer.body);
        signal.throwIfAborted();
        if (redirects === MOST_REDIRECTS)
          throw new OutboundFailure('tooManyRedirects', `The target redirects more than ${MOST_REDIRECTS} times.`);
        hop = redirectedHop(hop, answer.statusCode, location);
      } catch (error) {
        throw asFailure(error, hop.url.host);
      }
    }
  }

  private async assertTlsOrListed({ url }: Hop, signal: AbortSignal): Promise<void> {
    if (url.protocol === 'https:' || (await this.guard.isListed(url.hostname, portOf(url), signal))) return;
    throw new OutboundFailure('refused', 'The target is not allowed: its URL must begin with https.');
  }

  /**
   * A target closes connections that are idle for long. One may be chosen just before this process stands still, and be
   * closed when it goes on.
   */
  private async exchange(hop: Hop, signal: AbortSignal): Promise<Dispatcher.ResponseData> {
    const began = performance.now();
    try {
      return await this.exchangeOnce(hop, signal);
    } catch (error) {
      if (!hop.headers.has('idempotency-key') || !isClosed(error) || !this.standstills.since(began)) throw error;
      return this.exchangeOnce(hop, signal);
    }
  }

  private async exchangeOnce(hop: Hop, signal: AbortSignal): Promise<Dispatcher.ResponseData> {
    const agent = await (this.agent ??= this.open());
    signal.throwIfAborted();
    this.handed = signal;
    try {
      return agent.request(dispatchOf(hop, signal));
    } finally {
      this.handed = undefined;
    }
  }

  private async read(
    hop: Hop,
    answer: Dispatcher.ResponseData,
    headers: Record<string, string>,
    { ignoresBody = false, maxAnswerBytes = DEFAULT_ANSWER_BYTES }: OutboundRequest,
  ): Promise<OutboundAnswer> {
    if (ignoresBody) await discard(answer.body);
    const hasBody = !ignoresBody && hop.method !== 'HEAD' && answer.statusCode !== 204 && answer.statusCode !== 304;
    const contentEncoding = hasBody ? headers['content-encoding'] : undefined;
    const contentLength = hasBody ? headers['content-length'] : undefined;
    const body = ignoresBody
      ? new Uint8Array()
      : await readBody(answer.body, { contentEncoding, contentLength }, maxAnswerBytes);
    if (isDecoded(contentEncoding)) {
      // These headers describe the compressed bytes, which the caller does not get.
      delete headers['content-encoding'];
      delete headers['content-length'];
    }
    const wait = retryAfterMs(headers['retry-after'], this.now());
    return { status: answer.statusCode, headers, body, ...(wait === undefined ? {} : { retryAfterMs: wait }) };
  }

  private async open(): Promise<Agent> {
    const undici = await import('undici');
    const { calls, extra } = this.options.bounds ?? BOUNDS;
    return new undici.Agent({
      connect: this.guarded(this.options.connector ?? undici.buildConnector({ timeout: CONNECT_MS, ...this.trust })),
      connections: calls + extra,
      pipelining: 1,
      keepAliveTimeout: IDLE_MS,
      keepAliveMaxTimeout: IDLE_MS,
      maxHeaderSize: MOST_HEADER_BYTES,
      headersTimeout: 0, // the clock of O2 replaces it
      bodyTimeout: 0,
    });
  }

  private guarded(connectTo: buildConnector.connector): buildConnector.connector {
    return (options, callback) => {
      this.connect(options, connectTo).then(
        (socket) => callback(null, socket),
        (error: Error) => callback(error, null),
      );
    };
  }

  /**
   * The host name stays the TLS server name, so certificates are checked against the name that the author wrote. The
   * look-up ends with the call that began it.
   */
  private async connect(options: buildConnector.Options, connectTo: buildConnector.connector): Promise<Socket> {
    let failure: unknown;
    const { handed } = this;
    for (const { address, port } of await this.guard.resolve(options.hostname, portOf(options), handed)) {
      try {
        return await connected({ ...options, hostname: address, port: String(port) }, connectTo);
      } catch (error) {
        failure = error;
      }
    }
    throw failure;
  }
}

const dispatchOf = (hop: Hop, signal: AbortSignal): Dispatcher.RequestOptions<null> => ({
  origin: hop.url.origin,
  path: hop.url.pathname + hop.url.search,
  method: hop.method,
  headers: [...hop.headers].flat(),
  body: hop.body,
  signal,
});

const connected = (options: buildConnector.Options, connectTo: buildConnector.connector): Promise<Socket> =>
  new Promise((resolve, reject) => connectTo(options, (error, socket) => (socket ? resolve(socket) : reject(error))));

const portOf = ({ port, protocol }: { port: string; protocol: string }): number =>
  Number(port) || (protocol === 'https:' ? 443 : 80);

/** Reads a body that nobody wants, as far as that is worth it, and closes the connection unless the body ends there. */
async function discard(body: Dispatcher.ResponseData['body']): Promise<void> {
  const patience = AbortSignal.timeout(MOST_IGNORED_MS);
  await body.dump({ limit: MOST_IGNORED_BYTES, signal: patience }).catch(() => undefined);
}

function timeLimitOf({ timeoutMs = DEFAULT_TIMEOUT_MS }: OutboundRequest): number {
  return Math.min(Math.max(1, timeoutMs), MOST_TIMEOUT_MS);
}

function headersOf(answer: Dispatcher.ResponseData): Record<string, string> {
  return Object.fromEntries(
    Object.entries(answer.headers).map(([name, value = '']) => [
      name,
      typeof value === 'string' ? value : value.join(name === 'set-cookie' ? '\n' : ', '),
    ]),
  );
}

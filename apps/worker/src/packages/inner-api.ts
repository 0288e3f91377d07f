import { randomBytes, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { AuthenticationError, RateLimitedError } from '@millrace/domain';
import { errorAnswer, publicUrl } from '@millrace/http';
import type { InsideService } from '@millrace/piece-hosts';
import type { PackageCall } from '@millrace/pieces';
import { Inject, Injectable, Logger, NotFoundException } from '@nestjs/common';
import { WORKER_CONFIG, type WorkerConfig } from '../settings/config';
import { ApiReads } from './api-reads';
import type { CallOfApi, InnerAnswer } from './call-of-api';
import { FlowStarts } from './flow-starts';
import { SlicedSocket } from './sliced-socket';

// What packages see of our API, under a name of its own.
//
// I1. A connection belongs to the call of its host, so what it asks for is done for the project of that call, whatever
//     the package sends. It ends with the call.
// I2. The token is known to this process alone, and counts on the connections of its call alone: elsewhere, and after
//     the call, it opens nothing. What is read for a client that leaves is stopped.
// I3. The requests of a call are answered one after the other, each when the answer before it has been read. So at most
//     one of them is in memory, whatever it brings and gets.
// I4. A connection has one request, and few requests of a call wait. What comes beside is not read.
// I5. Packages start flows and read. What they may not do does not exist here.

/** `internal` is a name that no server of the internet can have. */
const HOST = 'api.millrace.internal';
const PORT = 80;
const TOKEN_BYTES = 32;
/** How many requests of a call wait for their turn, besides the one that has it. A call has no more connections at once. */
const MOST_WAITING = 49;
/** How much of a connection is parsed at once: 150 requests of the shortest are in it. */
const PARSED_BYTES = 4_096;

/** The requests of a call. */
interface RequestsOfCall {
  /** How many are not answered. */
  open: number;
  last: Promise<unknown>;
}

/** What a call is told of the API, and how it gets there. */
export interface ApiOfCall {
  readonly server: { readonly apiUrl: string; readonly publicUrl: string; readonly token: string };
  readonly inside: InsideService;
}

@Injectable()
export class InnerApi {
  private readonly logger = new Logger('InnerApi');
  /** Whose connections these are that have had no request yet. */
  private readonly calls = new WeakMap<Duplex, CallOfApi>();
  private readonly requests = new WeakMap<CallOfApi, RequestsOfCall>();
  private readonly publicUrl: string;
  /** It listens nowhere: hosts bring the connections. Node.js refuses some requests by itself, which would not be counted. */
  private readonly http = createServer({ requireHostHeader: false });

  constructor(
    private readonly starts: FlowStarts,
    private readonly reads: ApiReads,
    @Inject(WORKER_CONFIG) config: Pick<WorkerConfig, 'SVC_PUBLIC_URL' | 'SVC_HOST' | 'SVC_PORT'>,
  ) {
    this.publicUrl = `${publicUrl(config).replace(/\/+$/, '')}/api/`;
    const take = (request: IncomingMessage, response: ServerResponse): void => void this.take(request, response);
    this.http.on('request', take).on('checkExpectation', take);
  }

  /** What this call uses of the API. */
  for(call: PackageCall): ApiOfCall {
    const served: CallOfApi = { ...call, token: randomBytes(TOKEN_BYTES).toString('base64url') };
    const take = (socket: Socket): void => {
      const connection = new SlicedSocket(socket, PARSED_BYTES);
      this.calls.set(connection, served);
      this.http.emit('connection', connection);
    };
    return {
      server: { apiUrl: `http://${HOST}/api/`, publicUrl: this.publicUrl, token: served.token },
      inside: { host: HOST, port: PORT, take },
    };
  }

  /** A second request on a connection ends it, also before the first one is answered. */
  private async take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { socket } = request;
    const call = this.calls.get(socket);
    this.calls.delete(socket);
    if (!call) return void socket.destroy();
    response.shouldKeepAlive = false; // a client would keep it for the next call, and the connection ends with this one
    try {
      await this.inTurn(call, () => this.answer(request, response, call));
    } catch (error) {
      await sendError(response, error);
    }
  }

  /** Does nothing for a client that has left, and stops what it reads for one that leaves. */
  private async answer(request: IncomingMessage, response: ServerResponse, call: CallOfApi): Promise<void> {
    if (response.destroyed) return;
    const left = new AbortController();
    response.once('close', () => left.abort(new Error('The client has left.')));
    try {
      const { status, json } = await this.answerOf(request, call, left.signal);
      await send(response, status, json);
    } catch (error) {
      const hasLeft = left.signal.aborted || (request.destroyed && !request.complete);
      if (errorAnswer(error, '').isBug && !hasLeft)
        this.logger.error({ msg: 'A package could not be answered.' }, error);
      await sendError(response, error);
    }
  }

  /** Does the work when the requests before it have been answered. Throws RateLimitedError when too many wait. */
  private async inTurn(call: CallOfApi, work: () => Promise<void>): Promise<void> {
    const requests = this.requests.get(call) ?? { open: 0, last: Promise.resolve() };
    this.requests.set(call, requests);
    if (requests.open > MOST_WAITING) throw new RateLimitedError(1, 'A call of a piece has too many requests at once');
    requests.open++;
    requests.last = requests.last.then(work).finally(() => requests.open--);
    await requests.last;
  }

  private async answerOf(request: IncomingMessage, call: CallOfApi, left: AbortSignal): Promise<InnerAnswer> {
    const { url: path = '' } = request;
    if (!path.startsWith('/') || !URL.canParse(`http://${HOST}${path}`)) throw new NotFoundException();
    const url = new URL(`http://${HOST}${path}`);
    const flowId = /^\/api\/v1\/webhooks\/([\w-]{1,100})$/.exec(url.pathname)?.[1];
    if (flowId !== undefined) return this.starts.start(flowId, request, call);
    if (!hasToken(request, call)) throw new AuthenticationError();
    if (request.method !== 'GET') throw new NotFoundException();
    return this.reads.read(url, call, left);
  }
}

function hasToken({ headers: { authorization = '' } }: IncomingMessage, { token }: CallOfApi): boolean {
  const [given, expected] = [Buffer.from(authorization), Buffer.from(`Bearer ${token}`)];
  return given.length === expected.length && timingSafeEqual(given, expected);
}

/** Resolves when the client has the answer, or has left. */
async function send(response: ServerResponse, status: number, json: Buffer | string): Promise<void> {
  if (response.destroyed) return;
  const over = once(response, 'close');
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' }).end(json);
  await over;
}

async function sendError(response: ServerResponse, error: unknown): Promise<void> {
  const { body } = errorAnswer(error, '');
  await send(response, body.statusCode, JSON.stringify(body));
}

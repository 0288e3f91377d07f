import { randomBytes, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { AuthenticationError } from '@millrace/domain';
import { errorAnswer, publicUrl } from '@millrace/http';
import type { InsideService } from '@millrace/piece-hosts';
import type { PackageCall } from '@millrace/pieces';
import { Inject, Injectable, Logger, NotFoundException } from '@nestjs/common';
import { WORKER_CONFIG, type WorkerConfig } from '../settings/config';
import { ApiReads } from './api-reads';
import type { CallOfApi, InnerAnswer } from './call-of-api';
import { FlowStarts } from './flow-starts';

// What packages see of our API, under a name of its own.
//
// I1. A connection belongs to the call of its host, so what it asks for is done for the project of that call, whatever
//     the package sends. It ends with the call.
// I2. The token is known to this process alone, and counts on the connections of its call alone: elsewhere, and after
//     the call, it opens nothing.
// I3. The requests of a call are answered one after the other, so at most one of them is in memory, whatever it brings.
// I4. Packages start flows and read. What they may not do does not exist here.

/** `internal` is a name that no server of the internet can have. */
const HOST = 'api.millrace.internal';
const PORT = 80;
const TOKEN_BYTES = 32;

/** What a call is told of the API, and how it gets there. */
export interface ApiOfCall {
  readonly server: { readonly apiUrl: string; readonly publicUrl: string; readonly token: string };
  readonly inside: InsideService;
}

@Injectable()
export class InnerApi {
  private readonly logger = new Logger('InnerApi');
  private readonly calls = new WeakMap<Socket, CallOfApi>();
  /** The last request of each call. */
  private readonly last = new WeakMap<CallOfApi, Promise<unknown>>();
  private readonly publicUrl: string;
  /** It listens nowhere: hosts bring the connections. */
  private readonly http = createServer((request, response) => void this.answer(request, response));

  constructor(
    private readonly starts: FlowStarts,
    private readonly reads: ApiReads,
    @Inject(WORKER_CONFIG) config: Pick<WorkerConfig, 'SVC_PUBLIC_URL' | 'SVC_HOST' | 'SVC_PORT'>,
  ) {
    this.publicUrl = `${publicUrl(config).replace(/\/+$/, '')}/api/`;
  }

  /** What this call uses of the API. */
  for(call: PackageCall): ApiOfCall {
    const served: CallOfApi = { ...call, token: randomBytes(TOKEN_BYTES).toString('base64url') };
    const take = (socket: Socket): void => {
      this.calls.set(socket, served);
      this.http.emit('connection', socket);
    };
    return {
      server: { apiUrl: `http://${HOST}/api/`, publicUrl: this.publicUrl, token: served.token },
      inside: { host: HOST, port: PORT, take },
    };
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.shouldKeepAlive = false; // a client would keep it for the next call, and the connection ends with this one
    try {
      const call = this.calls.get(request.socket);
      if (!call) throw new Error('A connection belongs to no call.');
      const { status, body } = await this.inTurn(call, () => this.answerOf(request, call));
      send(response, status, body);
    } catch (error) {
      const { body, isBug } = errorAnswer(error, '');
      const hasLeft = request.destroyed && !request.complete;
      if (isBug && !hasLeft) this.logger.error({ msg: 'A package could not be answered.' }, error);
      send(response, body.statusCode, body);
    }
  }

  /** Does the work when the requests before it have been answered. */
  private inTurn<Result>(call: CallOfApi, work: () => Promise<Result>): Promise<Result> {
    const done = (this.last.get(call) ?? Promise.resolve()).then(work);
    this.last.set(
      call,
      done.catch(() => undefined),
    );
    return done;
  }

  private async answerOf(request: IncomingMessage, call: CallOfApi): Promise<InnerAnswer> {
    const { url: path = '' } = request;
    if (!path.startsWith('/') || !URL.canParse(`http://${HOST}${path}`)) throw new NotFoundException();
    const url = new URL(`http://${HOST}${path}`);
    const flowId = /^\/api\/v1\/webhooks\/([\w-]{1,100})$/.exec(url.pathname)?.[1];
    if (flowId !== undefined) return this.starts.start(flowId, request, call);
    if (!hasToken(request, call)) throw new AuthenticationError();
    if (request.method !== 'GET') throw new NotFoundException();
    return this.reads.read(url, call);
  }
}

function hasToken({ headers: { authorization = '' } }: IncomingMessage, { token }: CallOfApi): boolean {
  const [given, expected] = [Buffer.from(authorization), Buffer.from(`Bearer ${token}`)];
  return given.length === expected.length && timingSafeEqual(given, expected);
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' }).end(JSON.stringify(body));
}

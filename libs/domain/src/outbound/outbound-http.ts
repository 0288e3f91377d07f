/** A request to somewhere outside. */
export interface OutboundRequest {
  method: string;
  url: string;
  headers?: Readonly<Record<string, string>>;
  body?: string | Uint8Array;
  /** From the first byte of the request to the last of the answer, redirects included. */
  timeoutMs?: number;
  /** Counted after decompression. */
  maxAnswerBytes?: number;
  /** At most 5; credentials do not go along to another origin. True unless said otherwise. */
  followRedirects?: boolean;
  /** Sent as `Idempotency-Key`, unless the headers have one. */
  idempotencyKey?: string;
  signal?: AbortSignal;
  /** Whose call it is: projects do not wait for each other's. */
  projectId?: string;
}

export interface OutboundAnswer {
  status: number;
  /** Names in lower case; several values of one name joined by a comma and a space, `set-cookie` by a line feed. */
  headers: Readonly<Record<string, string>>;
  body: Uint8Array;
  /** What `Retry-After` says, when it can be read. */
  retryAfterMs?: number;
}

/** Why there is no answer. The message is one sentence for the author of the flow, without addresses of this installation. */
export class OutboundFailure extends Error {
  constructor(
    /** `refused`: the target is not allowed; the others are the network's doing. */
    readonly reason: 'refused' | 'invalid' | 'timeout' | 'tooLarge' | 'tooManyRedirects' | 'unreachable' | 'aborted',
    message: string,
    options?: { cause?: unknown },
  ) {
    super(message, options);
    this.name = 'OutboundFailure';
  }
}

/** The one way out: whatever this service or a flow calls goes through it. */
export abstract class OutboundHttp {
  /** Throws OutboundFailure. An answer of 4xx or 5xx is an answer. */
  abstract send(request: OutboundRequest): Promise<OutboundAnswer>;
}

/** Decides where connections may go, for what is not HTTP (mail). */
export abstract class OutboundGuard {
  /** The addresses of a host that may be connected to, in order of preference. Throws OutboundFailure when there is none. */
  abstract resolve(host: string, port: number): Promise<readonly { address: string; family: 4 | 6 }[]>;
}

/** An HTTP request to a server outside. */
export interface OutboundRequest {
  method: string;
  url: string;
  headers?: Readonly<Record<string, string>>;
  body?: string | Uint8Array;
  /** The time from the first byte of the request to the last byte of the answer, redirects included. */
  timeoutMs?: number;
  /** The largest body of an answer, counted after decompression. */
  maxAnswerBytes?: number;
  /** True by default. At most 5 redirects are followed, and credentials are not sent to another origin. */
  followRedirects?: boolean;
  /**
   * True for a caller that needs the status and the headers alone. The body of the answer is empty then, whatever its
   * size, and little of it is read.
   */
  ignoresBody?: boolean;
  /** True refuses a URL without TLS, unless its address is on the allow list. It says nothing of redirects. */
  plainHttpOnlyToListed?: boolean;
  /** The value of `Idempotency-Key`, unless the headers have one. */
  idempotencyKey?: string;
  signal?: AbortSignal;
  /** The project that makes the call. Calls of one project do not wait for calls of another. */
  projectId?: string;
}

export interface OutboundAnswer {
  status: number;
  /**
   * Names are in lower case. Several values of a name are joined by a comma and a space, `set-cookie` by a line feed.
   */
  headers: Readonly<Record<string, string>>;
  body: Uint8Array;
  /** The time of `Retry-After`; absent when the header is missing or unreadable. */
  retryAfterMs?: number;
}

/**
 * Why there is no answer. The message is a sentence for the flow's author and contains no address of the installation.
 */
export class OutboundFailure extends Error {
  constructor(
    /** `refused` means that the target is not allowed. */
    readonly reason: 'refused' | 'invalid' | 'timeout' | 'tooLarge' | 'tooManyRedirects' | 'unreachable' | 'aborted',
    message: string,
    options?: { cause?: unknown },
  ) {
    super(message, options);
    this.name = 'OutboundFailure';
  }
}

/** The only way out: every HTTP call of this service and of flows goes through it. */
export abstract class OutboundHttp {
  /** Throws OutboundFailure. An answer with a status of 4xx or 5xx is no failure. */
  abstract send(request: OutboundRequest): Promise<OutboundAnswer>;
}

/** The API refused a request. `message` says why in words for people. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    /** The code of docs/errors.md. */
    readonly code: string,
    message: string,
    /** By which the log of the service names the request. */
    readonly requestId: string | null,
    readonly params: Readonly<Record<string, unknown>>,
  ) {
    super(message);
    this.name = 'ApiError';
  }
}

/** No answer came: the service is away, or the network is. */
export class UnreachableError extends Error {
  constructor(options?: ErrorOptions) {
    super('Millrace does not answer. Check your connection; this page goes on by itself.', options);
    this.name = 'UnreachableError';
  }
}

/** Whether the same request may succeed later without a change of it. */
export const isPassing = (error: unknown): boolean =>
  error instanceof UnreachableError || (error instanceof ApiError && (error.status >= 500 || error.status === 429));

/** Returns the error that an answer stands for. What is between us and the api may answer in another shape. */
export function errorOf(response: Response, body: unknown): ApiError {
  const { code, params } = (typeof body === 'object' && body !== null ? body : {}) as {
    code?: unknown;
    params?: Readonly<Record<string, unknown>>;
  };
  const message = params?.['message'];
  return new ApiError(
    response.status,
    typeof code === 'string' ? code : 'UNKNOWN',
    typeof message === 'string' ? message : `The service answered ${response.status} ${response.statusText}`.trim(),
    response.headers.get('x-request-id'),
    params ?? {},
  );
}

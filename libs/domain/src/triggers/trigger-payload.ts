/** The request that a hook is called for. */
export interface TriggerPayload {
  method: string;
  /** The names are in lower case. */
  headers: Readonly<Record<string, string>>;
  queryParams: Readonly<Record<string, unknown>>;
  body: unknown;
  rawBody?: string;
}

export class SyncSettings {
  constructor(
    /** How long a request waits for the answer of its run. */
    readonly timeoutSeconds: number,
    /** The base URL at which callers reach the service; undefined when the operator has not set it. */
    readonly publicUrl: string | undefined,
  ) {}
}

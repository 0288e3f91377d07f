export class SyncSettings {
  constructor(
    /** How long a request waits for the answer of its run. */
    readonly timeoutSeconds: number,
    /** Where callers reach the service, when the operator has said so. */
    readonly publicUrl: string | undefined,
  ) {}
}

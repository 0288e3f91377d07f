/** How long a request waits for the answer of its run. */
export class SyncTimeout {
  constructor(readonly seconds: number) {}
}

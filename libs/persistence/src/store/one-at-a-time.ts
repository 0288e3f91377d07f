/** Runs work of the same name one after the other, in the order of the calls. Work of other names does not wait. */
export class OneAtATime {
  private readonly last = new Map<string, Promise<unknown>>();

  /** Settles as `work` does. The outcome of earlier work does not matter. */
  async run<T>(name: string, work: () => Promise<T>): Promise<T> {
    const before = this.last.get(name);
    const mine = before ? before.then(work, work) : work();
    this.last.set(name, mine);
    try {
      return await mine;
    } finally {
      if (this.last.get(name) === mine) this.last.delete(name);
    }
  }
}

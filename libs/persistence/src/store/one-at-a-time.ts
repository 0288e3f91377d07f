/** Work of one name goes one after the other, in the order it came; work of other names does not wait for it. */
export class OneAtATime {
  private readonly last = new Map<string, Promise<unknown>>();

  /** Settles as the work does, whatever became of the work before it. */
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

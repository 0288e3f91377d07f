/** What waits, in one line per project. Projects take turns, so the calls of one do not delay another's. */
export class Turns<Item> {
  private readonly lines = new Map<string, Item[]>();

  /** Adds an item at the end of its project's line, or at the head of it. */
  add(project: string, item: Item, isFirst = false): void {
    const line = this.lines.get(project);
    if (!line) this.lines.set(project, [item]);
    else if (isFirst) line.unshift(item);
    else line.push(item);
  }

  remove(project: string, item: Item): void {
    const line = this.lines.get(project) ?? [];
    const at = line.indexOf(item);
    if (at >= 0) line.splice(at, 1);
    if (line.length === 0) this.lines.delete(project);
  }

  /** Removes and returns the first item of the project whose turn it is. Projects for which `may` is false are passed over. */
  next(may: (project: string) => boolean): Item | undefined {
    for (const [project, line] of this.lines) {
      if (!may(project)) continue;
      const item = line.shift();
      this.lines.delete(project);
      if (line.length > 0) this.lines.set(project, line);
      return item;
    }
    return undefined;
  }

  /** Removes and returns the first item of the project, if it fits. The project keeps its place among the others. */
  takeHead(project: string, fits: (item: Item) => boolean): Item | undefined {
    const [head] = this.lines.get(project) ?? [];
    if (head === undefined || !fits(head)) return undefined;
    this.remove(project, head);
    return head;
  }

  countOf(project: string): number {
    return this.lines.get(project)?.length ?? 0;
  }

  get isEmpty(): boolean {
    return this.lines.size === 0;
  }

  /** All that waits, which is no longer here then. */
  takeAll(): Item[] {
    const all = [...this.lines.values()].flat();
    this.lines.clear();
    return all;
  }
}

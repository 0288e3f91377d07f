/** Something that a piece does, which may have to wait until it has less under way. */
export interface LineEntry {
  readonly bytes: number;
  readonly begin: () => void;
}

export interface LineBounds {
  /** How many are under way at once, and with how many bytes. One goes alone, however many bytes it has. */
  readonly entries: number;
  readonly bytes?: number;
}

/** Keeps what a piece does at once within a bound. The rest waits for its turn. */
export class Line {
  private entries = 0;
  private bytes = 0;
  private waiting: LineEntry[] = [];

  constructor(private readonly most: LineBounds) {}

  /** Begins the entry now, or when others have ended. */
  add(entry: LineEntry): void {
    if (this.waiting.length === 0 && this.hasRoomFor(entry)) this.start(entry);
    else this.waiting.push(entry);
  }

  /** Ends one entry that has begun, with its bytes. */
  end(bytes = 0): void {
    this.entries--;
    this.bytes -= bytes;
    for (let [next] = this.waiting; next && this.hasRoomFor(next); [next] = this.waiting) {
      this.waiting.shift();
      this.start(next);
    }
  }

  /** Forgets what waits. */
  forget(): void {
    this.waiting = [];
  }

  private start({ bytes, begin }: LineEntry): void {
    this.entries++;
    this.bytes += bytes;
    begin();
  }

  private hasRoomFor({ bytes }: LineEntry): boolean {
    const { entries, bytes: mostBytes = Infinity } = this.most;
    return this.entries < entries && (this.entries === 0 || this.bytes + bytes <= mostBytes);
  }
}

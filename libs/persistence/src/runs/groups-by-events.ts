import { GroupCommit, type Flush, type GroupCommitOptions } from '../postgres/group-commit';

/**
 * Rows of runs to which a destination may listen form groups of their own, because their statement also inserts events.
 * So the runs of other projects pay nothing for it.
 */
export class GroupsByEvents<Row, Result> {
  private readonly plain: GroupCommit<Row, Result>;
  private readonly reported: GroupCommit<Row, Result>;

  constructor(
    private readonly mayBeHeard: (row: Row) => boolean,
    flush: (rows: readonly Row[], withEvents: () => boolean) => ReturnType<Flush<Row, Result>>,
    options: GroupCommitOptions<Row>,
  ) {
    // Both ask when they write: rows may have waited since they were added, and a destination may have been made.
    const write: Flush<Row, Result> = (rows) => flush(rows, () => rows.some(mayBeHeard));
    this.plain = new GroupCommit(write, options);
    this.reported = new GroupCommit(write, options);
  }

  add(row: Row): Promise<Result> {
    return (this.mayBeHeard(row) ? this.reported : this.plain).add(row);
  }
}

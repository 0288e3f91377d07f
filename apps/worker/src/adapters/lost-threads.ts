import { BoundedLines } from '@millrace/domain';
import type { ThreadLoss } from '@millrace/sandbox';
import type { Logger } from '@nestjs/common';

const MOST_LINES_A_SECOND = 5;

const WHY: Readonly<Record<ThreadLoss, string>> = {
  limit: 'its step did not stop at a limit',
  memory: 'it ran out of memory',
  crash: 'it ended by itself',
};

/** Writes a line for each thread of the sandbox that another one replaces. */
export function linesOfLostThreads(logger: Pick<Logger, 'warn'>): (why: ThreadLoss) => void {
  const lines = new BoundedLines<ThreadLoss>(
    {
      write: (why) =>
        logger.warn({
          msg: `A thread for code steps was replaced: ${WHY[why]}. Its other steps are begun again.`,
          why,
        }),
      leftOut: (leftOut) => logger.warn({ msg: 'Further threads were replaced within this second.', leftOut }),
    },
    MOST_LINES_A_SECOND,
  );
  return (why) => lines.add(why);
}

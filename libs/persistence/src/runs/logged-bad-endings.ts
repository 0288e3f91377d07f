import { BadEndings, BoundedLines, type BadEnding } from '@millrace/domain';
import { Injectable, Logger } from '@nestjs/common';

const MOST_LINES_A_SECOND = 10;

/** Writes a line for each run that ended badly, and one for many. */
@Injectable()
export class LoggedBadEndings extends BadEndings {
  private readonly logger = new Logger('Runs');
  private readonly lines = new BoundedLines<BadEnding>(
    {
      write: (ending) => this.logger.warn({ msg: 'A run ended badly.', ...ending }),
      leftOut: (leftOut) => this.logger.warn({ msg: 'Further runs ended badly within this second.', leftOut }),
    },
    MOST_LINES_A_SECOND,
  );

  note(ending: BadEnding): void {
    this.lines.add(ending);
  }
}

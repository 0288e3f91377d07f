import {
  MaintenanceQueue,
  PieceQuestions,
  QUESTION_SECONDS,
  ServiceUnavailableError,
  type PieceAnswer,
  type PieceQuestion,
} from '@millrace/domain';
import { Injectable, Logger, Optional } from '@nestjs/common';
import { untilAnswered } from '../rest/until-answered';

const RETRY_AFTER_SECONDS = 10;

/** How long a request waits for an answer. The class is also the token of this setting. */
export abstract class QuestionPatience {
  abstract readonly ms: number;
}

/** Has workers ask packages, and waits for the answers. The code of a package never runs in this process. */
@Injectable()
export class PackageQuestions {
  private readonly logger = new Logger(PackageQuestions.name);
  private readonly patience: { forMs: number; firstAfterMs: number; everyMs: number };

  constructor(
    private readonly questions: PieceQuestions,
    private readonly queue: MaintenanceQueue,
    @Optional() patience?: QuestionPatience,
  ) {
    this.patience = { forMs: patience?.ms ?? QUESTION_SECONDS * 1_000, firstAfterMs: 10, everyMs: 200 };
  }

  /** Throws ServiceUnavailableError when no worker answers in time. Nothing of the question stays. */
  async ask(projectId: string, question: PieceQuestion): Promise<PieceAnswer> {
    const id = await this.questions.ask(projectId, question);
    try {
      await this.enqueue(id, projectId);
      const answer = await untilAnswered(() => this.questions.answerTo({ id, projectId }), this.patience);
      if (answer) return answer;
    } finally {
      await this.questions.remove(id).catch((error: unknown) => this.logger.warn(String(error))); // a duty does it later
    }
    const { name } = question.piece;
    const message = `No worker has asked ${name} within ${this.patience.forMs / 1_000} s.`;
    throw new ServiceUnavailableError(message, RETRY_AFTER_SECONDS);
  }

  private async enqueue(rowId: string, projectId: string): Promise<void> {
    try {
      await this.queue.enqueue([{ kind: 'PieceQuestionJob', rowId, epoch: 1, data: { projectId } }]);
    } catch (cause) {
      const message = 'The package was not asked, because the job queue is out of reach.';
      throw new ServiceUnavailableError(message, RETRY_AFTER_SECONDS, { cause });
    }
  }
}

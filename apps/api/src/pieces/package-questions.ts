import {
  MaintenanceQueue,
  NO_PROJECT,
  PieceQuestions,
  QUESTION_SECONDS,
  RateLimitedError,
  ServiceUnavailableError,
  type PieceAnswer,
  type PieceQuestion,
} from '@millrace/domain';
import { Injectable, Logger, Optional } from '@nestjs/common';
import pLimit, { type LimitFunction } from 'p-limit';
import { untilAnswered } from '../rest/until-answered';

const RETRY_AFTER_SECONDS = 10;
/** A worker has 32 places for the background work of all projects, which questions are a part of. */
const MOST_AT_ONCE = 8;
/** So many questions of a project wait for their turn, so that each has it before its sender gives up. */
const MOST_WAITING = 16;
const SOON_SECONDS = 5;

/** How long a request waits for an answer. The class is also the token of this setting. */
export abstract class QuestionPatience {
  abstract readonly ms: number;
}

/** Has workers ask packages, and waits for the answers. The code of a package never runs in this process. */
@Injectable()
export class PackageQuestions {
  private readonly logger = new Logger(PackageQuestions.name);
  private readonly turns = new Map<string, LimitFunction>();
  private readonly patience: { forMs: number; firstAfterMs: number; everyMs: number };

  constructor(
    private readonly questions: PieceQuestions,
    private readonly queue: MaintenanceQueue,
    @Optional() patience?: QuestionPatience,
  ) {
    this.patience = { forMs: patience?.ms ?? QUESTION_SECONDS * 1_000, firstAfterMs: 10, everyMs: 200 };
  }

  /**
   * Throws RateLimitedError when too many questions of the project wait, and ServiceUnavailableError when no worker
   * answers in time. Nothing of the question stays.
   */
  async ask(projectId: string, question: PieceQuestion): Promise<PieceAnswer> {
    if (projectId === NO_PROJECT) return this.askWorkers(projectId, question); // events of apps have a bound of their own
    const turns = this.turns.get(projectId) ?? pLimit(MOST_AT_ONCE);
    if (turns.pendingCount >= MOST_WAITING)
      throw new RateLimitedError(SOON_SECONDS, 'Too many packages are asked for the project at once');
    this.turns.set(projectId, turns);
    try {
      return await turns(() => this.askWorkers(projectId, question));
    } finally {
      setImmediate(() => this.forget(projectId, turns)); // the turn itself ends a moment later
    }
  }

  private forget(projectId: string, turns: LimitFunction): void {
    if (turns.activeCount + turns.pendingCount === 0) this.turns.delete(projectId);
  }

  private async askWorkers(projectId: string, question: PieceQuestion): Promise<PieceAnswer> {
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

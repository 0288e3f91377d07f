import {
  connectionsReferredBy,
  ConnectionValues,
  readConnections,
  ReferringTexts,
  revealedResponse,
  RunAnswers,
  type RunAnswer,
} from '@millrace/domain';
import { Injectable } from '@nestjs/common';

/** Puts values of connections into the answers that flows send to their callers. What is stored only refers to them. */
@Injectable()
export class SentAnswers {
  constructor(
    private readonly answers: RunAnswers,
    private readonly values: ConnectionValues,
  ) {}

  /** The answer as its flow sends it. A value that is no longer there reads as redacted. */
  async of(runId: string, answer: RunAnswer | null): Promise<RunAnswer | null> {
    const { response } = answer ?? {};
    if (!answer || !response?.references) return answer;
    const projectId = await this.answers.projectOf(runId);
    if (projectId === null) return answer;
    const texts = new ReferringTexts((externalIds) => readConnections(this.values, projectId, externalIds));
    await texts.know(connectionsReferredBy(response.references));
    return { ...answer, response: revealedResponse(response, (stored) => texts.hidden.revealFound(stored)) };
  }
}

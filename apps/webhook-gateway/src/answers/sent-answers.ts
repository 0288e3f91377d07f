import {
  connectionsReferredBy,
  ReferringTexts,
  revealedResponse,
  RunAnswers,
  ServiceUnavailableError,
  SharedConnections,
  type RunAnswer,
} from '@millrace/domain';
import { Injectable } from '@nestjs/common';

/** Puts values of connections into the answers that flows send to their callers. What is stored only refers to them. */
@Injectable()
export class SentAnswers {
  constructor(
    private readonly answers: RunAnswers,
    private readonly connections: SharedConnections,
  ) {}

  /**
   * The answer as its flow sends it. A value that is no longer there reads as redacted. Throws ServiceUnavailableError,
   * which names the run, while a connection is not shared.
   */
  async of(runId: string, answer: RunAnswer | null): Promise<RunAnswer | null> {
    const { response } = answer ?? {};
    if (!answer || !response?.references) return answer;
    const projectId = await this.answers.projectOf(runId);
    if (projectId === null) return answer;
    const texts = new ReferringTexts((externalIds) => this.connections.find(projectId, externalIds));
    await texts.know(connectionsReferredBy(response.references)).catch((error: unknown) => {
      throw error instanceof ServiceUnavailableError ? naming(runId, error) : error;
    });
    return { ...answer, response: revealedResponse(response, (stored) => texts.hidden.revealFound(stored)) };
  }
}

const naming = (flowRunId: string, error: ServiceUnavailableError): ServiceUnavailableError =>
  new ServiceUnavailableError(error.message, error.retryAfterSeconds, { cause: error, flowRunId });

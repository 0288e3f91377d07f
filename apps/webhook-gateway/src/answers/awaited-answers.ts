import { newId } from '@millrace/persistence';
import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AwaitedRuns } from './awaited-runs';
import { httpAnswer, type HttpAnswer, withResumeUrlAt } from './run-response';
import { SentAnswers } from './sent-answers';
import { SyncSettings } from './answer-settings';
import type { AwaitedRun, Received } from './received';

/** Answers requests with what their runs respond. */
@Injectable()
export class AwaitedAnswers {
  constructor(
    private readonly awaited: AwaitedRuns,
    private readonly sent: SentAnswers,
    private readonly settings: SyncSettings,
  ) {}

  /**
   * Accepts a run for the request, and sends its response when it is there. Throws as `accept` does, and
   * RunAnswerTimeoutError when there is no response in time.
   */
  async answer(
    request: FastifyRequest,
    reply: FastifyReply,
    accept: (run: AwaitedRun) => Promise<Received>,
  ): Promise<void> {
    this.awaited.assertRoom();
    const id = newId();
    const began = performance.now();
    // The wait begins before the run exists, because its answer may arrive before its acceptance.
    let waiter = this.awaited.wait(id, this.settings.timeoutSeconds * 1_000);
    try {
      const received = await accept({ id });
      request.bodyLease?.release();
      if ('challenge' in received) {
        await reply.headers(received.challenge.headers).send(received.challenge.body);
        return;
      }
      const { runId, replayed } = received;
      void reply.header('x-webhook-id', runId);
      if (replayed) {
        void reply.header('Idempotent-Replayed', 'true');
        waiter.leave();
        waiter = this.awaited.wait(runId, this.settings.timeoutSeconds * 1_000);
        this.awaited.askNow(runId);
      }
      if (reply.raw.destroyed) return; // the sender has gone meanwhile
      reply.raw.once('close', () => waiter.leave());
      const answer = await this.sent.of(runId, await waiter.answer);
      const waitedSeconds = Math.round((performance.now() - began) / 1_000); // a stop makes this less than the time-out
      const { status, headers, body } = httpAnswer(runId, answer, waitedSeconds);
      await reply.status(status).headers(this.asReachedBy(request, headers)).send(body);
    } finally {
      waiter.leave();
    }
  }

  private asReachedBy({ protocol, host }: FastifyRequest, headers: HttpAnswer['headers']): HttpAnswer['headers'] {
    return this.settings.publicUrl === undefined ? withResumeUrlAt(`${protocol}://${host}`, headers) : headers;
  }
}

import { All, Controller, Param, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { answerReceived, inboundRequest } from './inbound-request';
import { AwaitedAnswers } from '../answers/awaited-answers';
import { WebhookIntake } from './webhook-intake.service';

@Controller('api/v1/webhooks')
export class WebhooksController {
  constructor(
    private readonly intake: WebhookIntake,
    private readonly answers: AwaitedAnswers,
  ) {}

  /**
   * Starts a run of the published version. The status 200 means that the run is on the disk. A handshake gets its own
   * answer.
   */
  @All(':flowId')
  async receive(
    @Param('flowId') flowId: string,
    @Req() request: FastifyRequest<{ Body?: Buffer }>,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const sent = inboundRequest(request);
    const received = await this.intake.receive(flowId, sent);
    if ('isForPackage' in received)
      return this.answers.answer(request, reply, (run) => this.intake.receiveAwaited(flowId, sent, run));
    await reply.status(200).send(answerReceived(reply, received));
  }
}

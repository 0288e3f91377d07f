import { All, Controller, HttpCode, Param, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { answerReceived, inboundRequest } from './inbound-request';
import { WebhookIntake } from './webhook-intake.service';

@Controller('api/v1/webhooks')
export class WebhooksController {
  constructor(private readonly intake: WebhookIntake) {}

  /**
   * Starts a run of the published version. The status 200 means that the run is on the disk. A handshake gets its own
   * answer.
   */
  @All(':flowId')
  @HttpCode(200)
  async receive(
    @Param('flowId') flowId: string,
    @Req() request: FastifyRequest<{ Body?: Buffer }>,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<{ id: string } | string> {
    return answerReceived(reply, await this.intake.receive(flowId, inboundRequest(request)));
  }
}

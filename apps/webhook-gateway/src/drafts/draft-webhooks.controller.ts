import { All, Controller, HttpCode, Param, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { answerReceived, inboundRequest } from '../intake/inbound-request';
import { DraftIntake } from './draft-intake.service';

@Controller('api/v1/webhooks')
export class DraftWebhooksController {
  constructor(private readonly intake: DraftIntake) {}

  /** Starts a run of the latest version. The status 200 means that the run is on the disk. */
  @All([':flowId/simulate', ':flowId/draft'])
  @HttpCode(200)
  async receive(
    @Param('flowId') flowId: string,
    @Req() request: FastifyRequest<{ Body?: Buffer }>,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<{ id: string } | string> {
    return answerReceived(reply, await this.intake.receive(flowId, inboundRequest(request)));
  }

  /** Keeps the request as the sample data of the trigger, and starts no run. */
  @All(':flowId/test')
  @HttpCode(200)
  async keepSample(
    @Param('flowId') flowId: string,
    @Req() request: FastifyRequest<{ Body?: Buffer }>,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<{ id: string } | string> {
    return answerReceived(reply, await this.intake.keepSample(flowId, inboundRequest(request)));
  }
}

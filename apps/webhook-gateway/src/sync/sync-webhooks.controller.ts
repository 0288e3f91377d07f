import { All, Controller, Param, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { DraftIntake } from '../drafts/draft-intake.service';
import { inboundRequest } from '../intake/inbound-request';
import { WebhookIntake } from '../intake/webhook-intake.service';
import { AwaitedAnswers } from '../answers/awaited-answers';

type WebhookRequest = FastifyRequest<{ Body?: Buffer }>;

@Controller('api/v1/webhooks')
export class SyncWebhooksController {
  constructor(
    private readonly intake: WebhookIntake,
    private readonly drafts: DraftIntake,
    private readonly answers: AwaitedAnswers,
  ) {}

  /** Starts a run of the published version, and answers with what the flow responds. */
  @All(':flowId/sync')
  receive(@Param('flowId') flowId: string, @Req() request: WebhookRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.answers.answer(request, reply, (run) =>
      this.intake.receiveAwaited(flowId, inboundRequest(request), run),
    );
  }

  /** Starts a run of the latest version, and answers with what the flow responds. */
  @All(':flowId/draft/sync')
  receiveForDraft(
    @Param('flowId') flowId: string,
    @Req() request: WebhookRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    return this.answers.answer(request, reply, (run) => this.drafts.receive(flowId, inboundRequest(request), run));
  }
}

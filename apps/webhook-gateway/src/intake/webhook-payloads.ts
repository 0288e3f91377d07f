import { Injectable } from '@nestjs/common';
import type { NewRun } from '@millrace/domain';
import { LARGE_BODY_BYTES } from '../bodies/body-checker';
import { LargeWebhooks } from './large-webhooks';
import { WebhookFiles } from './webhook-files';
import { bodyKindOf, webhookPayload, type AcceptPayload, type InboundRequest } from './webhook-payload';

/** An element of XML of a few bytes becomes an object, so less of it takes as long as a larger body of another kind. */
const LARGE_XML_BYTES = 64 * 1024;

/** Makes the payloads of webhooks. What takes long is done on another thread, or in turns. */
@Injectable()
export class WebhookPayloads {
  constructor(
    private readonly large: LargeWebhooks,
    private readonly files: WebhookFiles,
  ) {}

  /**
   * Calls `accept` with the payload, which belongs to this run. Rejects as `accept` does, and with InvalidRequestError,
   * UnsupportedMediaTypeError, or ServiceUnavailableError when the payload cannot be made.
   */
  async accept(
    request: InboundRequest,
    run: Pick<NewRun, 'id' | 'projectId'>,
    accept: AcceptPayload,
  ): ReturnType<AcceptPayload> {
    const kind = bodyKindOf(request);
    if (kind === 'multipart' || kind === 'file') return this.files.accept(request, kind, run, accept);
    if (request.rawBody.length > (kind === 'xml' ? LARGE_XML_BYTES : LARGE_BODY_BYTES))
      return this.large.store(request, kind, run.projectId, accept);
    return accept(webhookPayload(request, kind));
  }
}

import { definePiece } from '../framework/piece';
import { catchWebhook } from './catch-webhook';
import { respondAndWait } from './respond-and-wait';
import { returnResponse } from './return-response';

export const webhook = definePiece({
  name: 'webhook',
  displayName: 'Webhook',
  description: 'Receives HTTP requests and answers them.',
  category: 'NETWORK',
  keywords: ['http', 'receive', 'callback', 'url', 'hook', 'endpoint', 'response'],
  version: '0.1.0',
  auth: { kind: 'none' },
  triggers: { catch_webhook: catchWebhook },
  actions: { return_response: returnResponse, respond_and_wait: respondAndWait },
});

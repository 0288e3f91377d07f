import { DomainError } from './domain-error';

/**
 * Thrown when a webhook does not prove that it comes from the sender that the flow expects. The sentence never says
 * what was wrong, because it would help to forge a request.
 */
export class InvalidWebhookSignatureError extends DomainError {
  readonly code = 'INVALID_WEBHOOK_SIGNATURE';

  constructor() {
    super('The signature or the credentials of the webhook are missing, wrong or too old.');
  }
}

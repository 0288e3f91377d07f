import { Injectable } from '@nestjs/common';
import { namedIn, SharedConnections, TriggerSecrets, webhookCheck, type WebhookCheck } from '@millrace/domain';

/** A flow with the input of the webhook trigger that is to be checked. */
export interface CheckedFlow {
  flowId: string;
  projectId: string;
  triggerInput: unknown;
}

/** Reads what requests to a flow must prove, with the secrets that the settings name. */
@Injectable()
export class WebhookChecks {
  constructor(
    private readonly secrets: TriggerSecrets,
    private readonly connections: SharedConnections,
  ) {}

  /**
   * Null when there is nothing to check. A connection that cannot be used counts as missing: settings without their
   * secret let no request pass. Throws ServiceUnavailableError when the api has not prepared a secret for the gateway.
   */
  async of({ flowId, projectId, triggerInput }: CheckedFlow): Promise<WebhookCheck | null> {
    const { secretIds, connectionIds } = namedIn(triggerInput);
    const [secrets, connections] = await Promise.all([
      this.secrets.find(flowId, secretIds),
      this.connections.find(projectId, connectionIds),
    ]);
    return webhookCheck(triggerInput, { secrets, connections });
  }
}

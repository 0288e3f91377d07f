import { Injectable } from '@nestjs/common';
import {
  ConnectionValues,
  namedIn,
  TriggerSecrets,
  webhookCheck,
  type ConnectionValue,
  type FoundConnection,
  type WebhookCheck,
} from '@millrace/domain';

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
    private readonly connections: ConnectionValues,
  ) {}

  /** Null when there is nothing to check. */
  async of({ flowId, projectId, triggerInput }: CheckedFlow): Promise<WebhookCheck | null> {
    const { secretIds, connectionIds } = namedIn(triggerInput);
    const [secrets, connections] = await Promise.all([
      this.secrets.find(flowId, secretIds),
      this.connections.find(projectId, connectionIds),
    ]);
    return webhookCheck(triggerInput, { secrets, connections: usable(connections) });
  }
}

/** A connection that cannot be used counts as missing: settings without their secret let no request pass. */
const usable = (found: ReadonlyMap<string, FoundConnection>): Map<string, ConnectionValue> =>
  new Map([...found].flatMap(([externalId, { value }]) => (value ? [[externalId, value]] : [])));

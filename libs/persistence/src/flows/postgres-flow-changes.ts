import { Injectable } from '@nestjs/common';
import { FlowChanges } from '@millrace/domain';
import type { EntityManager } from 'typeorm';
import { ListeningConnection } from '../postgres/listening-connection';

/** The channel on which a change of a flow is announced; the payload is the id of the flow. */
export const FLOW_CHANGED = 'flow_changed';

/** Announces a change of the flow. PostgreSQL sends the notification when the transaction commits, and only then. */
export async function announceFlowChange(tx: EntityManager, flowId: string): Promise<void> {
  await tx.query('select pg_notify($1, $2)', [FLOW_CHANGED, flowId]);
}

/** Listeners are called with null each time the connection is back: any flow may have changed meanwhile. */
@Injectable()
export class PostgresFlowChanges extends FlowChanges {
  constructor(private readonly connection: ListeningConnection) {
    super();
  }

  subscribe(listener: (flowId: string | null) => void): void {
    this.connection.on(FLOW_CHANGED, listener);
  }
}

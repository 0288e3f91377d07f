import { Injectable } from '@nestjs/common';
import { FlowChanges } from '@millrace/domain';
import type { EntityManager } from 'typeorm';
import { ListeningConnection } from '../postgres/listening-connection';

const CHANNEL = 'flow_changed';

/** Announces a change of the flow. PostgreSQL sends the notification when the transaction commits, and only then. */
export async function announceFlowChange(tx: EntityManager, flowId: string): Promise<void> {
  await tx.query('select pg_notify($1, $2)', [CHANNEL, flowId]);
}

/** Listeners are called with null each time the connection is back: any flow may have changed meanwhile. */
@Injectable()
export class PostgresFlowChanges extends FlowChanges {
  constructor(private readonly connection: ListeningConnection) {
    super();
  }

  subscribe(listener: (flowId: string | null) => void): void {
    this.connection.on(CHANNEL, listener);
  }
}

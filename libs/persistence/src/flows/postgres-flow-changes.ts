import { Injectable } from '@nestjs/common';
import { FlowChanges } from '@millrace/domain';
import type { EntityManager } from 'typeorm';
import { ListeningConnection } from '../postgres/listening-connection';

const CHANNEL = 'flow_changed';

/** Sent when the transaction commits, and not at all when it does not. */
export async function announceFlowChange(tx: EntityManager, flowId: string): Promise<void> {
  await tx.query('select pg_notify($1, $2)', [CHANNEL, flowId]);
}

/** Each time the connection is back, listeners hear that everything is doubtful. */
@Injectable()
export class PostgresFlowChanges extends FlowChanges {
  constructor(private readonly connection: ListeningConnection) {
    super();
  }

  subscribe(listener: (flowId: string | null) => void): void {
    this.connection.on(CHANNEL, listener);
  }
}

import { Clock, OutboundHttp, TriggerSecrets } from '@millrace/domain';
import { ConnectionSource } from '@millrace/engine';
import { BuiltInPieces, PollHost } from '@millrace/pieces';
import { Injectable } from '@nestjs/common';

/** Polls with the triggers of pieces, by the ports of this worker. */
@Injectable()
export class WorkerPollHost extends PollHost {
  constructor(
    pieces: BuiltInPieces,
    http: OutboundHttp,
    clock: Clock,
    connections: ConnectionSource,
    secrets: TriggerSecrets,
  ) {
    super(pieces, {
      http,
      clock,
      connections: async (projectId, externalIds) =>
        externalIds.length === 0 ? new Map<string, unknown>() : connections.find(projectId, externalIds),
      secrets: (flowId, ids) => secrets.find(flowId, ids),
    });
  }
}

import { Clock, OutboundHttp, StepFiles, StoreEntries, TriggerSecrets } from '@millrace/domain';
import { ConnectionSource } from '@millrace/engine';
import { newId } from '@millrace/persistence';
import { BuiltInPieces, PollHost } from '@millrace/pieces';
import { Injectable } from '@nestjs/common';
import { findForTrigger } from './stored-connections';

/** Polls with the triggers of pieces, by the ports of this worker. */
@Injectable()
export class WorkerPollHost extends PollHost {
  constructor(
    pieces: BuiltInPieces,
    http: OutboundHttp,
    store: StoreEntries,
    clock: Clock,
    connections: ConnectionSource,
    secrets: TriggerSecrets,
    files: StepFiles,
  ) {
    super(pieces, {
      http,
      store,
      clock,
      files,
      newId,
      connections: (projectId, externalIds) => findForTrigger(connections, projectId, externalIds),
      secrets: (flowId, ids) => secrets.find(flowId, ids),
    });
  }
}

import { Clock, OutboundHttp, StepFiles, StoreEntries, TriggerSecrets } from '@millrace/domain';
import { ConnectionSource } from '@millrace/engine';
import { publicUrl } from '@millrace/http';
import { newId } from '@millrace/persistence';
import { BuiltInPieces, TriggerHookHost } from '@millrace/pieces';
import { Inject, Injectable } from '@nestjs/common';
import { WORKER_CONFIG, type WorkerConfig } from '../settings/config';
import { findForTrigger } from './stored-connections';

/** Calls the hooks of the triggers of pieces, by the ports of this worker. */
@Injectable()
export class WorkerHookHost extends TriggerHookHost {
  constructor(
    pieces: BuiltInPieces,
    http: OutboundHttp,
    store: StoreEntries,
    clock: Clock,
    connections: ConnectionSource,
    secrets: TriggerSecrets,
    files: StepFiles,
    @Inject(WORKER_CONFIG) config: WorkerConfig,
  ) {
    super(pieces, {
      http,
      store,
      clock,
      files,
      newId,
      connections: (projectId, externalIds) => findForTrigger(connections, projectId, externalIds),
      secrets: (flowId, ids) => secrets.find(flowId, ids),
      publicUrl: publicUrl(config).replace(/\/+$/, ''),
    });
  }
}

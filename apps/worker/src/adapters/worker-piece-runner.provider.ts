import type { FactoryProvider } from '@nestjs/common';
import { Clock, FlowVersionReader, RunIntake, StoreEntries } from '@millrace/domain';
import { AddressGuard, GuardedHttp, NodemailerMailer, publicUrl } from '@millrace/http';
import { newId } from '@millrace/persistence';
import { BuiltInPieces, PieceHost } from '@millrace/pieces';
import type { WorkerConfig } from '../settings/config';
import { PublishedChildRuns } from './child-runs';
import { requestIds } from './request-ids';
import { WorkerPieceRunner } from './worker-piece-runner';

/** Provides the piece runner, with the ports through which pieces reach the outside. */
export const pieceRunnerProvider = (config: WorkerConfig): FactoryProvider<WorkerPieceRunner> => ({
  provide: WorkerPieceRunner,
  inject: [GuardedHttp, AddressGuard, StoreEntries, FlowVersionReader, RunIntake, Clock],
  useFactory: (
    http: GuardedHttp,
    guard: AddressGuard,
    store: StoreEntries,
    flows: FlowVersionReader,
    intake: RunIntake,
    clock: Clock,
  ) => {
    const pieces = new BuiltInPieces();
    const host = new PieceHost(pieces, {
      http,
      store,
      mailer: new NodemailerMailer(guard),
      children: new PublishedChildRuns(flows, intake, newId),
      clock,
      requestId: requestIds(config.SVC_ENCRYPTION_KEY),
      publicUrl: publicUrl(config).replace(/\/+$/, ''),
    });
    return new WorkerPieceRunner(host, pieces);
  },
});

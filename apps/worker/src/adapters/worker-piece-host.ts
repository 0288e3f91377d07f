import {
  ChildRuns,
  Clock,
  Mailer,
  NamedEvents,
  OutboundHttp,
  RunWaits,
  StepFiles,
  StoreEntries,
} from '@millrace/domain';
import { publicUrl } from '@millrace/http';
import { BuiltInPieces, PieceHost } from '@millrace/pieces';
import { Inject, Injectable } from '@nestjs/common';
import { WORKER_CONFIG, type WorkerConfig } from '../settings/config';
import { RequestIds } from './request-ids';

/** The host of pieces, with the ports of this worker through which pieces reach the outside. */
@Injectable()
export class WorkerPieceHost extends PieceHost {
  constructor(
    pieces: BuiltInPieces,
    http: OutboundHttp,
    store: StoreEntries,
    mailer: Mailer,
    files: StepFiles,
    children: ChildRuns,
    events: NamedEvents,
    clock: Clock,
    waits: RunWaits,
    requestIds: RequestIds,
    @Inject(WORKER_CONFIG) config: WorkerConfig,
  ) {
    super(pieces, {
      http,
      store,
      mailer,
      files,
      children,
      events,
      clock,
      waits,
      requestId: requestIds.of,
      publicUrl: publicUrl(config).replace(/\/+$/, ''),
    });
  }
}

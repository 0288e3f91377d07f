import {
  CodeRunner,
  ConnectionSource,
  DEFAULT_EXECUTION_LIMITS,
  LargeOutputs,
  PieceRunner,
  RunClock,
  type ExecutionLimits,
} from '@millrace/engine';
import type { StepPorts } from '@millrace/runner';
import { Inject, Injectable } from '@nestjs/common';
import { WORKER_CONFIG, type WorkerConfig } from '../settings/config';

/** The ports through which steps reach the outside, with the limits of the settings. */
@Injectable()
export class WorkerStepPorts implements StepPorts {
  readonly limits: ExecutionLimits;

  constructor(
    readonly codeRunner: CodeRunner,
    readonly pieceRunner: PieceRunner,
    readonly connections: ConnectionSource,
    readonly largeOutputs: LargeOutputs,
    readonly clock: RunClock,
    @Inject(WORKER_CONFIG) config: WorkerConfig,
  ) {
    this.limits = {
      ...DEFAULT_EXECUTION_LIMITS,
      retryBaseMs: config.SVC_STEP_RETRY_BASE_SECONDS * 1_000,
      storageBytes: config.SVC_RUN_STORAGE_LIMIT_MB * 1024 * 1024,
    };
  }
}

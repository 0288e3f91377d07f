import { TriggerHooks, TriggerOperationRunner, TriggerOperations, type MaintenanceJobOf } from '@millrace/domain';
import { BuiltInPieces } from '@millrace/pieces';
import { Injectable } from '@nestjs/common';
import { MaintenanceProcessor } from './maintenance-processor';

/** Calls the hooks of a trigger whose flow is enabled, disabled or tested. */
@Injectable()
export class TriggerHookProcessor extends MaintenanceProcessor<'TriggerHookJob'> {
  readonly kind = 'TriggerHookJob';
  private readonly runner: TriggerOperationRunner;

  constructor(operations: TriggerOperations, hooks: TriggerHooks, pieces: BuiltInPieces) {
    super();
    this.runner = new TriggerOperationRunner(operations, hooks, pieces);
  }

  override process({ rowId, epoch }: MaintenanceJobOf<'TriggerHookJob'>, signal: AbortSignal): Promise<void> {
    return this.runner.perform(rowId, epoch, signal);
  }
}

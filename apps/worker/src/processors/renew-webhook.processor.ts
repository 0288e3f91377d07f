import {
  FlowVersionReader,
  RenewalRunner,
  TriggerHooks,
  TriggerRenewals,
  type MaintenanceJobOf,
} from '@millrace/domain';
import { Injectable } from '@nestjs/common';
import { MaintenanceProcessor } from './maintenance-processor';

/** Renews what the trigger of an enabled flow has registered elsewhere. */
@Injectable()
export class RenewWebhookProcessor extends MaintenanceProcessor<'RenewWebhookJob'> {
  readonly kind = 'RenewWebhookJob';
  private readonly runner: RenewalRunner;

  constructor(renewals: TriggerRenewals, versions: FlowVersionReader, hooks: TriggerHooks) {
    super();
    this.runner = new RenewalRunner(renewals, versions, hooks);
  }

  override process({ rowId, epoch, data }: MaintenanceJobOf<'RenewWebhookJob'>, signal: AbortSignal): Promise<void> {
    return this.runner.renew({ flowId: rowId, epoch, ...data }, signal);
  }
}

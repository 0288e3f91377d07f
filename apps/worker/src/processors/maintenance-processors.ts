import type { MaintenanceJobKind } from '@millrace/domain';
import type { Provider, Type } from '@nestjs/common';
import { EventDestinationProcessor } from './event-destination.processor';
import type { MaintenanceProcessor } from './maintenance-processor';
import { PieceInstallationProcessor } from './piece-installation.processor';
import { PieceQuestionProcessor } from './piece-question.processor';
import { PollingProcessor } from './polling.processor';
import { RenewWebhookProcessor } from './renew-webhook.processor';
import { TriggerHookProcessor } from './trigger-hook.processor';

/** A processor of any one kind. */
type AnyProcessor = { [Kind in MaintenanceJobKind]: MaintenanceProcessor<Kind> }[MaintenanceJobKind];

/** The processors of the maintenance queue, one for each kind of job. */
const PROCESSORS: readonly Type<AnyProcessor>[] = [
  EventDestinationProcessor,
  PieceInstallationProcessor,
  PieceQuestionProcessor,
  PollingProcessor,
  RenewWebhookProcessor,
  TriggerHookProcessor,
];

/** Finds the processor of each kind of job. The class is also its token. */
export class MaintenanceProcessors {
  private readonly byKind = new Map<MaintenanceJobKind, MaintenanceProcessor>();

  /** Throws when two processors are of one kind. */
  constructor(processors: readonly MaintenanceProcessor[]) {
    for (const processor of processors) {
      const { kind } = processor;
      if (this.byKind.has(kind)) throw new Error(`There are two processors for jobs of the kind ${kind}.`);
      this.byKind.set(kind, processor);
    }
  }

  /** Throws when there is none. */
  of(kind: MaintenanceJobKind): MaintenanceProcessor {
    const processor = this.byKind.get(kind);
    if (!processor) throw new Error(`This worker has no processor for jobs of the kind ${kind}.`);
    return processor;
  }
}

export const maintenanceProcessors: Provider[] = [
  ...PROCESSORS,
  {
    provide: MaintenanceProcessors,
    inject: [...PROCESSORS],
    useFactory: (...processors: MaintenanceProcessor[]) => new MaintenanceProcessors(processors),
  },
];

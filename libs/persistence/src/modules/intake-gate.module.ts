import { Logger, Module, type DynamicModule } from '@nestjs/common';
import { BacklogWatch, IntakeGate, Metrics, METRICS, SystemClock } from '@millrace/domain';
import { logOutages } from '../log-outages';
import { FAR_DISK, FreeDiskAround } from '../runs/free-disk';
import type { IntakeSettings } from '../runs/intake-settings';

/**
 * Provides IntakeGate, which refuses runs from outside while the backlog or the disk has no room. It needs
 * PostgresModule. It is global: an app imports it once.
 */
@Module({})
export class IntakeGateModule {
  static forRoot({ bounds, dataDir }: IntakeSettings): DynamicModule {
    const clock = new SystemClock();
    const say = logOutages(new Logger(IntakeGate.name));
    const disk = dataDir === null ? FAR_DISK : new FreeDiskAround(dataDir, clock, say);
    return {
      module: IntakeGateModule,
      global: true,
      providers: [
        {
          provide: IntakeGate,
          inject: [BacklogWatch, { token: Metrics, optional: true }],
          useFactory: (backlog: BacklogWatch, metrics?: Metrics) => {
            metrics?.report(METRICS.runsWaitingMost, () => bounds.runs);
            return new IntakeGate(backlog, disk, bounds, clock, say);
          },
        },
      ],
      exports: [IntakeGate],
    };
  }
}

import { Module, type DynamicModule } from '@nestjs/common';
import { BacklogWatch, IntakeGate, SystemClock } from '@millrace/domain';
import { FAR_DISK, FreeDiskAround } from '../runs/free-disk';
import type { IntakeSettings } from '../runs/intake.env';

/** For apps that accept runs from outside: refuses them while there is no room. Needs PostgresModule. Global. */
@Module({})
export class IntakeGateModule {
  static forRoot({ bounds, dataDir }: IntakeSettings): DynamicModule {
    const clock = new SystemClock();
    const disk = dataDir === null ? FAR_DISK : new FreeDiskAround(dataDir, clock);
    return {
      module: IntakeGateModule,
      global: true,
      providers: [
        {
          provide: IntakeGate,
          inject: [BacklogWatch],
          useFactory: (backlog: BacklogWatch) => new IntakeGate(backlog, disk, bounds, clock),
        },
      ],
      exports: [IntakeGate],
    };
  }
}

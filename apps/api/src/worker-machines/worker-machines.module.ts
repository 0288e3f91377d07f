import { Module } from '@nestjs/common';
import { OtherQueues } from './other-queues';
import { WorkerMachinesController } from './worker-machines.controller';

@Module({
  controllers: [WorkerMachinesController],
  providers: [{ provide: OtherQueues, useFactory: () => new OtherQueues() }],
})
export class WorkerMachinesModule {}

import { Module } from '@nestjs/common';
import { WorkerMachinesController } from './worker-machines.controller';

@Module({ controllers: [WorkerMachinesController] })
export class WorkerMachinesModule {}

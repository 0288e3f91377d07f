import { HEARTBEAT_SECONDS, WorkerMachineRepository } from '@millrace/domain';
import { Body, Controller, Get, HttpCode, Inject, Post, Query } from '@nestjs/common';
import { ApiBearerAuth, ApiTags } from '@nestjs/swagger';
import { RequiresPlatformAdministrator, RequiresWorkerToken } from '../auth/requires.decorator';
import { pageOf, PagedQueryDto } from '../rest/paged-query.dto';
import { API_SETTINGS, type ApiSettings } from '../settings/config';
import { OtherQueues } from './other-queues';
import { settingsForWorkers } from './settings-for-workers';
import { RegisteredWorkerDto, WorkerHeartbeatDto, WorkerMachinePageDto } from './worker-machine.dto';

@ApiTags('worker machines')
@Controller('api/v1/worker-machines')
export class WorkerMachinesController {
  constructor(
    private readonly machines: WorkerMachineRepository,
    private readonly otherQueues: OtherQueues,
    @Inject(API_SETTINGS) private readonly settings: ApiSettings,
  ) {}

  /** Lists the workers, newest first. Only administrators of the platform can. */
  @RequiresPlatformAdministrator()
  @ApiBearerAuth()
  @Get()
  list(@Query() query: PagedQueryDto): Promise<WorkerMachinePageDto> {
    return this.machines.list(pageOf(query));
  }

  /** Registers a worker, and later says that it lives. Only workers call it, with the worker token. */
  @RequiresWorkerToken()
  @Post()
  @HttpCode(200)
  async register(@Body() worker: WorkerHeartbeatDto): Promise<RegisteredWorkerDto> {
    await this.machines.noteHeartbeat({ ...worker, pieceIsolation: worker.pieceIsolation ?? null });
    const queue = this.settings.SVC_REDIS_URL === undefined ? 'POSTGRESQL' : 'REDIS';
    this.otherQueues.look(worker, queue);
    return { heartbeatSeconds: HEARTBEAT_SECONDS, settings: settingsForWorkers(this.settings), queue };
  }
}

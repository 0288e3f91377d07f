import { Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiBearerAuth, ApiTags } from '@nestjs/swagger';
import { RequiresPlatformAdministrator } from '../auth/requires.decorator';
import { LimitQueryDto } from '../rest/paged-query.dto';
import { FailedJobsDto, QueueBacklogDto, QueueCountsDto, RetriedJobDto } from './queue.dto';
import { QueueService } from './queue.service';

@ApiTags('queue')
@ApiBearerAuth()
@Controller('api/v1/admin/queue')
export class QueueController {
  constructor(private readonly queue: QueueService) {}

  /** Counts the jobs of the queue of runs. Only administrators of the platform can. */
  @RequiresPlatformAdministrator()
  @Get('metrics')
  counts(): Promise<QueueCountsDto> {
    return this.queue.counts();
  }

  /**
   * Tells how many accepted runs have not begun, and since when the oldest waits. They are counted every few seconds.
   * Only administrators of the platform can.
   */
  @RequiresPlatformAdministrator()
  @Get('backlog')
  backlog(): Promise<QueueBacklogDto> {
    return this.queue.backlog();
  }

  /**
   * Lists the jobs of both queues that were given up, those first that failed last: why they failed, what they were
   * about, and what to do. Only administrators of the platform can.
   */
  @RequiresPlatformAdministrator()
  @Get('failed')
  failed(@Query() { limit }: LimitQueryDto): Promise<FailedJobsDto> {
    return this.queue.failed(limit);
  }

  /**
   * Puts a failed job back into the queue, with all its attempts before it. Runs of the job that have ended stay as they
   * are. Only administrators of the platform can.
   */
  @RequiresPlatformAdministrator()
  @Post('retry/:jobId')
  @HttpCode(200)
  async retry(@Param('jobId') jobId: string): Promise<RetriedJobDto> {
    await this.queue.retryFailed(jobId);
    return { id: jobId, state: 'waiting' };
  }
}

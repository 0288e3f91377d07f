import { Controller, Get, HttpStatus, Module, Res, type DynamicModule, type Type } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { Public } from '../requests/public.decorator';
import { IgnoresQuery } from '../requests/unread-input.interceptor';
import { Readiness, ReadinessChecks, type ReadinessReport } from './readiness';

@Public()
@IgnoresQuery()
@Controller('api/v1/health')
export class HealthController {
  constructor(private readonly readiness: Readiness) {}

  /** The process runs and answers. */
  @Get('live')
  live(): { status: 'live' } {
    return { status: 'live' };
  }

  /** The process can do its work. The status is 503 when it cannot. */
  @Get('ready')
  async ready(@Res({ passthrough: true }) reply: FastifyReply): Promise<ReadinessReport> {
    const report = await this.readiness.report();
    void reply.status(report.ready ? HttpStatus.OK : HttpStatus.SERVICE_UNAVAILABLE);
    return report;
  }

  /** The process has been ready since it was started. The status is 503 until then. */
  @Get('startup')
  async startup(@Res({ passthrough: true }) reply: FastifyReply): Promise<{ started: boolean }> {
    const started = await this.readiness.hasStarted();
    void reply.status(started ? HttpStatus.OK : HttpStatus.SERVICE_UNAVAILABLE);
    return { started };
  }
}

/** Serves `/api/v1/health/live`, `/ready` and `/startup`. The app passes the class that checks what it uses. */
@Module({})
export class HealthModule {
  static forRoot(checks: Type<ReadinessChecks>): DynamicModule {
    return {
      module: HealthModule,
      controllers: [HealthController],
      providers: [
        { provide: ReadinessChecks, useClass: checks },
        { provide: Readiness, inject: [ReadinessChecks], useFactory: (all: ReadinessChecks) => new Readiness(all) },
      ],
      exports: [Readiness],
    };
  }
}

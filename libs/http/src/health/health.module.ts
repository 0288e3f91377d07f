import { Controller, Get, HttpStatus, Module, Res, type DynamicModule, type Provider } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { Public } from '../requests/public.decorator';
import { Readiness, type ReadinessCheck, type ReadinessReport } from './readiness';

@Public()
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
}

interface HealthOptions {
  imports?: DynamicModule['imports'];
  inject?: Extract<Provider, { inject?: unknown }>['inject'];
  /** Gets the providers that `inject` names and returns the checks of the app by their names. */
  useFactory: (...dependencies: never[]) => Record<string, ReadinessCheck>;
}

/** Serves `/api/v1/health/live` and `/api/v1/health/ready`. The app provides the checks of what it needs. */
@Module({})
export class HealthModule {
  static forRootAsync({ imports = [], inject = [], useFactory }: HealthOptions): DynamicModule {
    const readiness: Provider = {
      provide: Readiness,
      inject,
      useFactory: (...dependencies: never[]) => new Readiness(useFactory(...dependencies)),
    };
    return {
      module: HealthModule,
      imports,
      controllers: [HealthController],
      providers: [readiness],
      exports: [Readiness],
    };
  }
}

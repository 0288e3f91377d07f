import type { FlowRun, RerunPlan } from '@millrace/domain';
import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { map, type Observable } from 'rxjs';
import type { Rerun } from './run-reruns.service';

/** Answers 201 with the run that was started, or 200 with the plan of a dry run. */
@Injectable()
export class RerunAnswer implements NestInterceptor<Rerun, FlowRun | Pick<RerunPlan, 'steps' | 'keptSteps'>> {
  intercept(
    context: ExecutionContext,
    next: CallHandler<Rerun>,
  ): Observable<FlowRun | Pick<RerunPlan, 'steps' | 'keptSteps'>> {
    const reply = context.switchToHttp().getResponse<FastifyReply>();
    return next.handle().pipe(
      map((rerun) => {
        void reply.status('run' in rerun ? 201 : 200);
        return 'run' in rerun ? rerun.run : rerun.plan;
      }),
    );
  }
}

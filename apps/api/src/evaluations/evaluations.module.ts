import { Module } from '@nestjs/common';
import { EvaluationSandbox } from './evaluation-sandbox';
import { EvaluationsController } from './evaluations.controller';
import { EvaluationsService } from './evaluations.service';

@Module({
  controllers: [EvaluationsController],
  providers: [EvaluationsService, EvaluationSandbox],
})
export class EvaluationsModule {}

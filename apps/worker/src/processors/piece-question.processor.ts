import type { MaintenanceJobOf } from '@millrace/domain';
import { Injectable } from '@nestjs/common';
import { PieceAnswers } from '../packages/piece-answers';
import { MaintenanceProcessor } from './maintenance-processor';

/** Answers a question about a package of a piece. */
@Injectable()
export class PieceQuestionProcessor extends MaintenanceProcessor<'PieceQuestionJob'> {
  readonly kind = 'PieceQuestionJob';

  constructor(private readonly answers: PieceAnswers) {
    super();
  }

  override process({ rowId }: MaintenanceJobOf<'PieceQuestionJob'>, signal: AbortSignal): Promise<void> {
    return this.answers.answer(rowId, signal);
  }
}

import { Module } from '@nestjs/common';
import { PieceQuestions } from '@millrace/domain';
import { PostgresPieceQuestions } from '../pieces/postgres-piece-questions';

/** Provides PieceQuestions. It needs PostgresModule and SecretsModule. */
@Module({
  providers: [{ provide: PieceQuestions, useClass: PostgresPieceQuestions }],
  exports: [PieceQuestions],
})
export class PieceQuestionsModule {}

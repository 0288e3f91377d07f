import { InvalidRequestError, type ConnectionValue, type PieceAnswer } from '@millrace/domain';
import { InstalledPieces } from '@millrace/pieces';
import { Injectable } from '@nestjs/common';
import { PackageQuestions } from './package-questions';
import { PiecesService } from './pieces.service';

/** The longest check of a piece that comes with the service, in milliseconds. */
const CHECK_TIMEOUT_MS = 20_000;

/** A connection that is about to be stored, and the piece for which it is. */
export interface ConnectionOfPiece {
  readonly projectId: string;
  readonly pieceName: string;
  readonly pieceVersion: string | null;
  readonly value: ConnectionValue;
}

/** Asks pieces whether connections work. */
@Injectable()
export class ConnectionValidation {
  constructor(
    private readonly catalogue: PiecesService,
    private readonly pieces: InstalledPieces,
    private readonly questions: PackageQuestions,
  ) {}

  /**
   * Throws InvalidRequestError with the sentence of the piece when the connection does not work, EntityNotFoundError for
   * an unknown piece, and ServiceUnavailableError when no worker answers in time.
   */
  async assertWorks(connection: ConnectionOfPiece): Promise<void> {
    const answer = await this.answerTo(connection);
    const problem = 'problem' in answer ? answer.problem : (answer.value as string | null);
    if (problem !== null) throw new InvalidRequestError([{ path: '/value', message: `does not work: ${problem}` }]);
  }

  private async answerTo({ projectId, value, ...wanted }: ConnectionOfPiece): Promise<PieceAnswer> {
    const { name, version } = await this.catalogue.find(wanted.pieceName, wanted.pieceVersion);
    if (!this.pieces.isBuiltIn(name))
      return this.questions.ask(projectId, { kind: 'VALIDATE', piece: { name, version }, value });
    const signal = AbortSignal.timeout(CHECK_TIMEOUT_MS);
    return { value: await this.pieces.connectionProblem({ pieceName: name, value }, { projectId, signal }) };
  }
}

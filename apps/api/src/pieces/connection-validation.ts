import {
  InvalidRequestError,
  ServiceUnavailableError,
  type ConnectionValue,
  type PieceAnswer,
  type PieceRef,
} from '@millrace/domain';
import { InstalledPieces } from '@millrace/pieces';
import { Injectable } from '@nestjs/common';
import { PackageQuestions } from './package-questions';
import { PiecesService } from './pieces.service';

/** The longest check of a piece that comes with the service, in milliseconds. */
const CHECK_TIMEOUT_MS = 20_000;
const RETRY_AFTER_SECONDS = 10;

/** A connection that is about to be stored, and the piece for which it is. */
export interface ConnectionOfPiece {
  readonly projectId: string;
  readonly piece: PieceRef;
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

  /** The piece that would be asked. Throws EntityNotFoundError for an unknown one. */
  async find(projectId: string, pieceName: string, pieceVersion: string | null): Promise<PieceRef> {
    const { name, version } = await this.catalogue.find(projectId, pieceName, pieceVersion);
    return { name, version };
  }

  /**
   * Asks the piece, where it checks connections of this kind. Throws InvalidRequestError with the sentence of the piece
   * when the connection does not work, and RateLimitedError or ServiceUnavailableError when there is no answer.
   */
  async assertWorks(connection: ConnectionOfPiece): Promise<void> {
    const answer = await this.answerTo(connection);
    if ('problem' in answer && answer.isOurs) throw new ServiceUnavailableError(answer.problem, RETRY_AFTER_SECONDS);
    const problem = 'problem' in answer ? answer.problem : (answer.value as string | null);
    if (problem !== null) throw new InvalidRequestError([{ path: '/value', message: `does not work: ${problem}` }]);
  }

  private async answerTo({ projectId, piece, value }: ConnectionOfPiece): Promise<PieceAnswer> {
    const { name: pieceName, version: pieceVersion } = piece;
    const checked = { pieceName, pieceVersion, value };
    if (!this.pieces.isBuiltIn(pieceName) && this.pieces.checksConnection(checked))
      return this.questions.ask(projectId, { kind: 'VALIDATE', piece, value });
    const signal = AbortSignal.timeout(CHECK_TIMEOUT_MS);
    return { value: await this.pieces.connectionProblem(checked, { projectId, signal }) };
  }
}

import {
  EntityNotFoundError,
  InvalidRequestError,
  OutboundFailure,
  OutboundHttp,
  type Page,
  type PieceDescription,
  type Principal,
} from '@millrace/domain';
import { BuiltInPieces, type PieceOptions } from '@millrace/pieces';
import { pageOfRows } from '@millrace/persistence';
import { Injectable } from '@nestjs/common';
import { ProjectAccess } from '../auth/project-access';
import { pageOf } from '../rest/paged-query.dto';
import type { ListPiecesQueryDto } from './piece.dto';
import type { PieceOptionsDto, PieceOptionsRequestDto } from './piece-options.dto';

/** The longest time of a piece's call to the outside, in milliseconds. */
const OPTIONS_TIMEOUT_MS = 20_000;

@Injectable()
export class PiecesService {
  constructor(
    private readonly pieces: BuiltInPieces,
    private readonly http: OutboundHttp,
    private readonly access: ProjectAccess,
  ) {}

  async list(principal: Principal, query: ListPiecesQueryDto): Promise<Page<PieceDescription>> {
    if (query.projectId !== undefined) await this.access.assertPermitted(principal, query.projectId);
    const rows = this.pieces.describe().map((piece) => ({ id: piece.name, piece }));
    const page = await pageOfRows(pageOf(query), ['pieces'], rows);
    return { ...page, data: page.data.map(({ piece }) => piece) };
  }

  read(name: string): PieceDescription {
    const piece = this.pieces.find(name);
    if (!piece) throw new EntityNotFoundError('piece', name);
    return piece;
  }

  async options(principal: Principal, request: PieceOptionsRequestDto): Promise<PieceOptionsDto> {
    this.access.assertPermittedSomewhere(principal);
    const { triggers, actions } = this.read(request.pieceName);
    const { name, propName } = request;
    if (!Object.hasOwn(triggers, name) && !Object.hasOwn(actions, name))
      throw wrong('/name', 'must be a trigger or an action of the piece.');
    const found = await this.optionsFrom(request);
    if (!found) throw wrong('/propName', `must be an input with options; ${JSON.stringify(propName)} is none.`);
    return found.kind === 'options' ? { options: found.options } : { props: found.props };
  }

  private async optionsFrom(request: PieceOptionsRequestDto): Promise<PieceOptions | null> {
    const signal = AbortSignal.timeout(OPTIONS_TIMEOUT_MS);
    try {
      return await this.pieces.options(
        { ...request, input: request.input ?? {}, searchValue: request.searchValue ?? undefined },
        { http: this.http, signal },
      );
    } catch (error) {
      if (error instanceof OutboundFailure) throw wrong('/input', `leads to no options: ${error.message}`);
      throw error;
    }
  }
}

const wrong = (path: string, message: string) => new InvalidRequestError([{ path, message }]);

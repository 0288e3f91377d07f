import {
  compareByChoice,
  EntityNotFoundError,
  InvalidRequestError,
  OutboundFailure,
  OutboundHttp,
  type Page,
  type PieceDescription,
  type PieceRef,
  type Principal,
  versionFor,
  principalName,
} from '@millrace/domain';
import { InstalledPieces, type PieceOptions } from '@millrace/pieces';
import { pageOfRows } from '@millrace/persistence';
import { Injectable } from '@nestjs/common';
import { ProjectAccess } from '../auth/project-access';
import { pageOf } from '../rest/paged-query.dto';
import { PackageQuestions } from './package-questions';
import type { ListPiecesQueryDto } from './piece.dto';
import type { PieceOptionsDto, PieceOptionsRequestDto } from './piece-options.dto';
import { PiecesInFlows } from './pieces-in-flows';
import { UsablePackages } from './usable-packages';

/** The longest time of a piece's call to the outside, in milliseconds. */
const OPTIONS_TIMEOUT_MS = 20_000;

@Injectable()
export class PiecesService {
  constructor(
    private readonly pieces: InstalledPieces,
    private readonly packages: UsablePackages,
    private readonly http: OutboundHttp,
    private readonly access: ProjectAccess,
    private readonly piecesInFlows: PiecesInFlows,
    private readonly questions: PackageQuestions,
  ) {}

  async list(principal: Principal, query: ListPiecesQueryDto): Promise<Page<PieceDescription>> {
    if (query.projectId !== undefined) await this.access.assertPermitted(principal, query.projectId);
    const installed = newestOf(await this.packages.list());
    const rows: { id: string; version?: string }[] = [
      ...this.pieces.describe().map(({ name }) => ({ id: name })),
      ...installed.map(({ name, version }) => ({ id: name, version })),
    ];
    const page = await pageOfRows(pageOf(query), ['pieces'], rows);
    await this.pieces.load(
      page.data.flatMap(({ id: name, version }) => (version === undefined ? [] : [{ name, version }])),
    );
    return { ...page, data: page.data.flatMap(({ id, version }) => this.pieces.find(id, version) ?? []) };
  }

  /**
   * Reads a piece that comes with the service, or a package in this version, which may be a range. Without a version it
   * is the newest installed one.
   */
  async read(name: string, version?: string | null): Promise<PieceDescription> {
    if (this.pieces.isBuiltIn(name)) return this.pieces.find(name) as PieceDescription;
    const installed = (await this.packages.list()).filter((each) => each.name === name);
    const versions = installed.map((each) => each.version);
    const wanted = version ? versionFor(version, versions) : newestOf(installed)[0]?.version;
    if (wanted) await this.pieces.load([{ name, version: wanted }]);
    const piece = wanted ? this.pieces.find(name, wanted) : null;
    if (!piece) throw new EntityNotFoundError('piece', name);
    return piece;
  }

  /** The newest installed version of a package. Null when none is installed. */
  async newestInstalled(name: string): Promise<PieceRef | null> {
    const [newest] = newestOf((await this.packages.list()).filter((each) => each.name === name));
    return newest ? { name, version: newest.version } : null;
  }

  /** As `read`, but a package of the catalogue is installed first, among the installations of the project. */
  async find(projectId: string, name: string, version?: string | null): Promise<PieceDescription> {
    if (version) await this.piecesInFlows.knowPieces(projectId, [{ name, version }]);
    const known = version ? this.pieces.find(name, version) : null;
    return known ?? this.read(name, version);
  }

  async options(principal: Principal, request: PieceOptionsRequestDto): Promise<PieceOptionsDto> {
    this.access.assertPermittedSomewhere(principal);
    const asker = request.projectId ?? principalName(principal);
    const piece = await this.find(asker, request.pieceName, request.pieceVersion);
    const { name, propName } = request;
    if (!Object.hasOwn(piece.triggers, name) && !Object.hasOwn(piece.actions, name))
      throw wrong('/name', 'must be a trigger or an action of the piece.');
    const found = this.pieces.isBuiltIn(piece.name)
      ? await this.optionsOfBuiltIn(request)
      : await this.optionsOfPackage(principal, piece, request);
    if (!found) throw wrong('/propName', `must be an input with options; ${JSON.stringify(propName)} is none.`);
    const { kind: _kind, ...answer } = found;
    return answer;
  }

  /** A package is asked for a project, whose connections it may use, and whose processes it shares with nobody. */
  private async optionsOfPackage(
    principal: Principal,
    { name: pieceName, version }: PieceRef,
    { projectId: named, name, propName, input, searchValue }: PieceOptionsRequestDto,
  ): Promise<PieceOptions | null> {
    const projectId = await this.access.projectOf(principal, named);
    const answer = await this.questions.ask(projectId, {
      kind: 'OPTIONS',
      piece: { name: pieceName, version },
      name,
      propName,
      input: input ?? {},
      ...(searchValue && { searchValue }),
    });
    if ('problem' in answer) throw wrong('/input', `leads to no options: ${answer.problem}`);
    return answer.value as PieceOptions | null;
  }

  private async optionsOfBuiltIn(request: PieceOptionsRequestDto): Promise<PieceOptions | null> {
    const signal = AbortSignal.timeout(OPTIONS_TIMEOUT_MS);
    try {
      return await this.pieces.options(
        {
          ...request,
          pieceVersion: request.pieceVersion ?? undefined,
          input: request.input ?? {},
          searchValue: request.searchValue ?? undefined,
        },
        { http: this.http, signal },
      );
    } catch (error) {
      if (error instanceof OutboundFailure) throw wrong('/input', `leads to no options: ${error.message}`);
      throw error;
    }
  }
}

/** The newest version of each package. A pre-release counts where no release is installed. */
function newestOf(packages: readonly PieceRef[]): PieceRef[] {
  const newest = new Map<string, PieceRef>();
  for (const each of packages) {
    const known = newest.get(each.name);
    if (!known || compareByChoice(each.version, known.version) > 0) newest.set(each.name, each);
  }
  return [...newest.values()];
}

const wrong = (path: string, message: string) => new InvalidRequestError([{ path, message }]);

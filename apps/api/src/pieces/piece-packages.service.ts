import {
  EntityNotFoundError,
  InvalidRequestError,
  PieceIntegrityError,
  PieceNotInstalledError,
  PiecePackages,
  type Page,
  type PieceRef,
} from '@millrace/domain';
import { pageOfRows, StoredArchives } from '@millrace/persistence';
import { InstalledPieces } from '@millrace/pieces';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { pageOf } from '../rest/paged-query.dto';
import { API_SETTINGS, type ApiSettings } from '../settings/config';
import { PieceInstallations } from './piece-installations';
import type { CataloguedPieceDto, InstalledPieceDto, ListCatalogueQueryDto } from './piece-package.dto';
import { PiecesInFlows } from './pieces-in-flows';
import { mayBeUsed } from './usable-packages';

/** Installs, lists and removes packages of pieces for administrators, and shows the catalogue. */
@Injectable()
export class PiecePackagesService {
  private readonly logger = new Logger(PiecePackagesService.name);

  constructor(
    private readonly packages: PiecePackages,
    private readonly pieces: InstalledPieces,
    private readonly installations: PieceInstallations,
    private readonly piecesInFlows: PiecesInFlows,
    private readonly archives: StoredArchives,
    @Inject(API_SETTINGS) private readonly settings: Pick<ApiSettings, 'SVC_PIECE_PACKAGES'>,
  ) {}

  async catalogue(query: ListCatalogueQueryDto): Promise<Page<CataloguedPieceDto>> {
    const { search, category } = query;
    const [catalogue, installed] = await Promise.all([this.piecesInFlows.readCatalogue(), this.packages.list()]);
    const keys = new Set(installed.filter((found) => mayBeUsed(found, this.settings)).map(keyOf));
    // The name of a built-in piece means that one, so a package of this name cannot be chosen.
    const found = catalogue.search({ search, category }).filter(({ name }) => !this.pieces.isBuiltIn(name));
    const rows = found.map((entry) => ({ id: entry.name, entry }));
    const page = await pageOfRows(pageOf(query), ['pieces/catalogue', search ?? '', category ?? ''], rows);
    const data = page.data.map(({ entry }) => ({
      ...entry,
      hasNativeParts: entry.hasNativeParts ?? false,
      installed: keys.has(keyOf(entry)),
    }));
    return { ...page, data };
  }

  /** Installs a package of the registry. */
  async installNamed(ref: PieceRef): Promise<InstalledPieceDto> {
    this.assertMayBeInstalled(ref);
    const entry = (await this.piecesInFlows.readCatalogue()).find(ref);
    return this.installed(ref, { integrity: entry?.integrity ?? null, archiveId: null });
  }

  /** Installs a package from its archive, which must be that of the catalogue when it has its name and version. */
  async installArchive(archive: Buffer | undefined): Promise<InstalledPieceDto> {
    const bytes = archive ?? Buffer.alloc(0);
    const { identityInArchive, integrityOf, ArchiveError } = await import('@millrace/piece-hosts');
    const ref = await identityInArchive(bytes).catch((error: unknown) => {
      throw error instanceof ArchiveError ? new InvalidRequestError([{ path: '', message: error.message }]) : error;
    });
    this.assertMayBeInstalled(ref);
    const integrity = integrityOf(bytes);
    const entry = (await this.piecesInFlows.readCatalogue()).find(ref);
    if (entry && entry.integrity !== integrity) throw new PieceIntegrityError(ref);
    const archiveId = await this.archives.write(bytes, ref);
    try {
      return await this.installed(ref, { integrity, archiveId });
    } catch (error) {
      await this.dropUnused(ref, archiveId).catch((other: unknown) => this.logger.warn(String(other)));
      throw error;
    }
  }

  async remove(name: string, version: string | undefined): Promise<void> {
    const ref = { name, version: version ?? (await this.onlyVersionOf(name)) };
    const archiveId = await this.packages.remove(ref);
    await this.archives.delete(archiveId);
  }

  private async installed(
    ref: PieceRef,
    content: { integrity: string | null; archiveId: string | null },
  ): Promise<InstalledPieceDto> {
    const { isNew } = await this.installations.install({ ...ref, ...content, byAdmin: true });
    const [found] = await this.packages.find([ref]);
    if (!found) throw new PieceNotInstalledError(ref, 'The package was removed meanwhile.');
    if (content.archiveId !== null) await this.dropUnused(found, content.archiveId);
    await this.pieces.load([ref]);
    const description = this.pieces.find(ref.name, ref.version);
    if (!description) throw new PieceNotInstalledError(ref, 'The package was removed meanwhile.');
    return { ...description, integrity: found.integrity, isNew };
  }

  private assertMayBeInstalled({ name, version }: PieceRef): void {
    if (this.settings.SVC_PIECE_PACKAGES === 'off')
      throw new PieceNotInstalledError({ name, version }, 'Packages of pieces are switched off by SVC_PIECE_PACKAGES.');
    if (this.pieces.isBuiltIn(name))
      throw new InvalidRequestError([
        { path: '/name', message: 'is the name of a piece that comes with the service.' },
      ]);
  }

  /** Deletes an archive that was sent, unless the package has it, or a worker may still install the package from it. */
  private async dropUnused(ref: PieceRef, archiveId: string): Promise<void> {
    if (await this.packages.awaitsArchive(archiveId)) return;
    const [found] = await this.packages.find([ref]);
    if (found?.archiveId !== archiveId) await this.archives.delete(archiveId);
  }

  private async onlyVersionOf(name: string): Promise<string> {
    const versions = (await this.packages.list()).filter((each) => each.name === name).map(({ version }) => version);
    const [version] = versions;
    if (version === undefined) throw new EntityNotFoundError('piece', name);
    if (versions.length === 1) return version;
    const message = `must be one of ${versions.join(', ')}, because several are installed.`;
    throw new InvalidRequestError([{ path: '/version', message }]);
  }
}

const keyOf = ({ name, version }: PieceRef): string => `${name} ${version}`;

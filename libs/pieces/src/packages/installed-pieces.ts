import type { PiecePackage, PiecePackages, PieceRef } from '@millrace/domain';
import { BuiltInPieces } from '../built-in-pieces';
import type { PieceDefinition } from '../framework/piece';
import type { PackageCalls } from './package-calls';
import { packagePiece } from './package-piece';

/** How many packages stay in memory. The one that was loaded first makes room for another. */
const MOST_KNOWN = 500;

interface KnownPackage {
  readonly id: string;
  readonly piece: PieceDefinition;
}

/**
 * The pieces of this installation: those that come with the service, and the installed packages that were loaded. A
 * package must be loaded before it is looked up, because look-ups do not wait. A name of a built-in piece means that one.
 */
export class InstalledPieces extends BuiltInPieces {
  private readonly known = new Map<string, KnownPackage>();
  private readonly missing = new Map<string, string>();

  constructor(
    private readonly packages: Pick<PiecePackages, 'find'>,
    private readonly calls: PackageCalls,
    builtIn?: readonly PieceDefinition[],
  ) {
    super(builtIn);
  }

  /** Loads these packages, as far as they are installed. Those that were removed are not known any more. */
  async load(refs: readonly PieceRef[]): Promise<void> {
    const wanted = this.packagesAmong(refs);
    if (wanted.length === 0) return;
    const found = await this.packages.find(wanted);
    for (const ref of wanted)
      this.keep(
        ref,
        found.find((each) => keyOf(each) === keyOf(ref)),
      );
  }

  /** Lets a wanted version stand for an exact one, and with null for none. */
  resolve(name: string, wanted: string, exact: string | null): void {
    if (wanted === exact) return;
    const found = exact === null ? undefined : this.known.get(keyOf({ name, version: exact }));
    this.set(keyOf({ name, version: wanted }), found);
  }

  /** Notes why a package is missing, for those who look it up. */
  noteMissing(ref: PieceRef, reason: string): void {
    if (this.missing.size >= MOST_KNOWN) this.missing.clear();
    this.missing.set(keyOf(ref), reason);
  }

  override reasonForMissing(name: string, version: string): string | null {
    return this.missing.get(keyOf({ name, version })) ?? null;
  }

  /** Whether a piece that comes with the service has this name. */
  isBuiltIn(name: string): boolean {
    return super.pieceNamed(name) !== null;
  }

  override know(refs: readonly PieceRef[]): Promise<void> {
    return this.load(refs.filter((ref) => !this.isKnown(ref)));
  }

  /** Whether the package of this name and version was loaded. */
  isKnown(ref: PieceRef): boolean {
    return this.known.has(keyOf(ref));
  }

  /** Those that are no built-in pieces, each once. */
  packagesAmong(refs: readonly PieceRef[]): PieceRef[] {
    const packages = refs.filter(({ name }) => name !== '' && !this.isBuiltIn(name));
    return [...new Map(packages.map((ref) => [keyOf(ref), ref])).values()];
  }

  override hasPiece(pieceName: string): boolean {
    return super.hasPiece(pieceName) || [...this.known.values()].some(({ piece }) => piece.name === pieceName);
  }

  protected override pieceNamed(name: string, version = ''): PieceDefinition | null {
    return super.pieceNamed(name) ?? this.known.get(keyOf({ name, version }))?.piece ?? null;
  }

  private keep(ref: PieceRef, found: PiecePackage | undefined): void {
    const key = keyOf(ref);
    if (found && this.known.get(key)?.id === found.id) return;
    this.set(key, found && { id: found.id, piece: packagePiece(ref, found.description, this.calls) });
  }

  private set(key: string, piece: KnownPackage | undefined): void {
    if (!piece) return void this.known.delete(key);
    const [first] = this.known.keys();
    if (this.known.size >= MOST_KNOWN && first !== undefined) this.known.delete(first);
    this.known.set(key, piece);
    this.missing.delete(key);
  }
}

const keyOf = ({ name, version }: PieceRef): string => `${name} ${version}`;

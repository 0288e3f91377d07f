import type { ContextVersion } from './context-version';

/** A function of a package. What it takes and gives is unknown. */
export type PieceFunction = (...args: unknown[]) => unknown;

/** The parts of a published piece that hosts use. */
export interface PublishedPiece {
  readonly auth?: PublishedProp | readonly PublishedProp[];
  readonly events?: Readonly<Record<'parseAndReply' | 'verify', PieceFunction>>;
  metadata(): unknown;
  actions(): Readonly<Record<string, PublishedAction>>;
  triggers(): Readonly<Record<string, PublishedTrigger>>;
  getAction(name: string): PublishedAction | undefined;
  getTrigger(name: string): PublishedTrigger | undefined;
  getContextInfo?(): { readonly version?: string };
}

export interface PublishedProp {
  readonly type: string;
  readonly options?: PieceFunction;
  readonly props?: PieceFunction;
  readonly validate?: PieceFunction;
}

export interface PublishedAction {
  readonly props: Readonly<Record<string, PublishedProp>>;
  readonly run: PieceFunction;
  readonly test?: PieceFunction;
}

export interface PublishedTrigger extends Omit<PublishedAction, 'run'> {
  readonly run: PieceFunction;
  readonly onEnable?: PieceFunction;
  readonly onDisable?: PieceFunction;
  readonly onRenew?: PieceFunction;
  readonly onHandshake?: PieceFunction;
  readonly sampleData?: unknown;
}

export interface LoadedPiece {
  readonly piece: PublishedPiece;
  readonly version: ContextVersion;
}

/** The functions that tell a piece from the other exports of its package. Their class has many copies. */
const METHODS = ['metadata', 'actions', 'triggers', 'getAction', 'getTrigger'] as const;

/** Finds the piece among the exports of a package. Throws an Error with a sentence when there is none that can run here. */
export function pieceOf(exported: unknown): LoadedPiece {
  const values: unknown[] = Object.values(exported ?? {});
  const piece = values.find(isPiece);
  if (!piece) throw new Error('The package exports no piece, or one of a form that is no longer published.');
  const version = piece.getContextInfo?.().version;
  if (version === undefined) return { piece, version: 0 };
  if (version === '1' || version === '2') return { piece, version: Number(version) as ContextVersion };
  throw new Error(`The piece expects the context version ${String(version).slice(0, 20)}, which is not known here.`);
}

const isPiece = (value: unknown): value is PublishedPiece =>
  typeof value === 'object' &&
  value !== null &&
  METHODS.every((name) => typeof (value as Record<string, unknown>)[name] === 'function');

import {
  clientForPiece,
  InvalidRequestError,
  OAuthApps,
  type GrantType,
  type OAuth2Client,
  type PieceDescription,
  type PieceSignIn,
} from '@millrace/domain';
import { InstalledPieces } from '@millrace/pieces';
import { Injectable } from '@nestjs/common';
import { PiecesService } from './pieces.service';

/** A piece to whose provider somebody signs in, and what he has given for it. */
export interface SignInToPiece {
  /** The project for which the package is installed, if it is not yet. */
  readonly projectId: string;
  readonly pieceName: string;
  readonly pieceVersion: string | null;
  /** Null for whoever signs in by the app that an administrator has stored. */
  readonly clientId: string | null;
  readonly clientSecret: string;
  readonly redirectUrl: string | null;
  readonly grantType: GrantType;
  readonly props: Readonly<Record<string, unknown>>;
  /** Where the props stand in the body of the request. */
  readonly at: '' | '/value';
}

/** Knows how people sign in to the providers of pieces, and by which client. */
@Injectable()
export class PieceSignIns {
  constructor(
    private readonly catalogue: PiecesService,
    private readonly pieces: InstalledPieces,
    private readonly apps: OAuthApps,
  ) {}

  /** Finds the client for a sign-in. Throws InvalidRequestError, and EntityNotFoundError for an unknown piece. */
  async begin({
    projectId,
    pieceName,
    pieceVersion,
    at,
    ...request
  }: SignInToPiece): Promise<{ client: OAuth2Client; signIn: PieceSignIn }> {
    const { name, version } = await this.catalogue.find(projectId, pieceName, pieceVersion);
    const signIn = this.pieces.signInOf(name, version);
    if (!signIn) throw wrong('/pieceName', 'must be a piece to whose provider people sign in by OAuth 2.0.');
    if (!signIn.grantTypes.includes(request.grantType))
      throw wrong(`${at}/grant_type`, `must be ${signIn.grantTypes.join(' or ')} for this piece.`);
    const own = request.clientId === null ? null : { clientId: request.clientId, clientSecret: request.clientSecret };
    const known = own ?? (await this.appOf(name, at));
    return {
      client: clientForPiece(signIn, { ...request, ...known, pieceName: name, isOfApp: own === null, at }),
      signIn,
    };
  }

  /** Tells of pieces whether an administrator has stored an app for each. */
  async withApps(pieces: readonly PieceDescription[]): Promise<PieceDescription[]> {
    if (!pieces.some(({ auth }) => auth?.signIn)) return [...pieces];
    const named = new Set((await this.apps.list()).map(({ pieceName }) => pieceName));
    return pieces.map((piece) => {
      const signIn = piece.auth?.signIn;
      if (!piece.auth || !signIn) return piece;
      return { ...piece, auth: { ...piece.auth, signIn: { ...signIn, hasApp: named.has(piece.name) } } };
    });
  }

  private async appOf(pieceName: string, at: SignInToPiece['at']): Promise<{ clientId: string; clientSecret: string }> {
    const app = await this.apps.find(pieceName);
    if (!app) throw wrong(`${at}/client_id`, 'is required, because no administrator has stored an app for this piece.');
    const { clientSecret } = await this.apps.secretsOf(app);
    return { clientId: app.clientId, clientSecret };
  }
}

const wrong = (path: string, message: string) => new InvalidRequestError([{ path, message }]);

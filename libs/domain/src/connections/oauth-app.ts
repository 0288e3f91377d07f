// The apps that an administrator has registered with providers, one for each piece. Whoever builds flows then signs in
// without a client of his own, and the events of the app reach the flows that listen.

/** An app without its secrets. */
export interface OAuthApp {
  id: string;
  /** The name of the piece whose provider has the app. There is one app for each piece. */
  pieceName: string;
  clientId: string;
  /** Whether the secret is known by which events of the app are verified. */
  hasWebhookSecret: boolean;
  created: Date;
  updated: Date;
}

export interface OAuthAppSecrets {
  clientSecret: string;
  /** By it the piece verifies the events of the app. Null when the app sends none. */
  webhookSecret: string | null;
}

export abstract class OAuthApps {
  /** The apps, by the names of their pieces. */
  abstract list(): Promise<OAuthApp[]>;
  abstract find(pieceName: string): Promise<OAuthApp | null>;
  /** Stores the app of a piece, or replaces it. */
  abstract upsert(app: Omit<OAuthApp, 'hasWebhookSecret'>, secrets: OAuthAppSecrets): Promise<OAuthApp>;
  /** Throws EntityNotFoundError. */
  abstract delete(pieceName: string): Promise<OAuthApp>;
  /** The secrets of an app. Throws UnreadableSecretError. */
  abstract secretsOf(app: OAuthApp): Promise<OAuthAppSecrets>;
}

/** An action of a published package, with the call that its vendor gets. */
export interface PackageCase extends TriedPackage {
  readonly action: string;
  readonly input?: Record<string, unknown>;
  /** `POST https://host/path`, as the vendor gets it. What packages add to a query by themselves is left out. */
  readonly call: string;
  readonly credentials: string | RegExp;
  /** Members of the form or the JSON that the vendor gets. */
  readonly body?: Record<string, unknown>;
  readonly answer: unknown;
  readonly output: unknown;
}

export interface TriedPackage {
  /** The name without `@activepieces/piece-`. */
  readonly piece: string;
  readonly version: string;
  readonly connection: TriedConnection;
  /** How the step names the connection. Packages that only sign in take a token that was made elsewhere. */
  readonly auth?: unknown;
}

export interface TriedConnection {
  readonly type: 'SECRET_TEXT' | 'CUSTOM_AUTH' | 'BASIC_AUTH';
  readonly value: object;
}

export const secret = (text: string): TriedConnection => ({ type: 'SECRET_TEXT', value: { secret_text: text } });
export const custom = (props: object): TriedConnection => ({ type: 'CUSTOM_AUTH', value: { props } });
export const signedIn = { access_token: '{{ connections.vendor }}' };
/** The header that a client sends for a name and a password. */
export const basic = (credentials: string): string => `Basic ${Buffer.from(credentials).toString('base64')}`;

export function hostOf(call: string): string {
  return new URL(call.slice(call.indexOf(' ') + 1)).host;
}

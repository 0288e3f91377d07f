import { fork, type ChildProcess } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';

/** The real provider of `tools/testing`. */
export class OpenIdProvider {
  private constructor(
    private readonly process: ChildProcess,
    readonly issuer: string,
    readonly redirect: string,
  ) {}

  static async start(): Promise<OpenIdProvider> {
    const child = fork(join(__dirname, '../../../../tools/testing/oidc-provider.mjs'), { execArgv: [] });
    const [{ issuer, redirect }] = (await once(child, 'message')) as [{ issuer: string; redirect: string }];
    return new OpenIdProvider(child, issuer, redirect);
  }

  async ask(message: 'count' | 'revoke'): Promise<number> {
    this.process.send(message);
    const [{ refreshes }] = (await once(this.process, 'message')) as [{ refreshes: number }];
    return refreshes;
  }

  /** Goes where a browser would go, and returns what arrives at the redirect URL. */
  async consent(url: string): Promise<{ code: string; state: string }> {
    const cookies = new Map<string, string>();
    for (let next = url; ;) {
      const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
      const answer = await fetch(next, { redirect: 'manual', headers: { cookie } });
      for (const set of answer.headers.getSetCookie()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
        cookies.set(name, value);
      }
      const location = answer.headers.get('location');
      if (location === null) throw new Error(`The provider answered ${answer.status}: ${await answer.text()}`);
      const target = new URL(location, next);
      if (target.href.startsWith(this.redirect))
        return Object.fromEntries(target.searchParams) as { code: string; state: string };
      next = target.href;
    }
  }

  /** Signs a person in, and returns an access token in the form of a JWT for the audience. */
  async accessTokenOf(person: string, audience: string): Promise<string> {
    const verifier = randomBytes(32).toString('base64url');
    const asked = {
      client_id: 'flows',
      redirect_uri: this.redirect,
      response_type: 'code',
      scope: 'openid read',
      login_hint: person,
      resource: audience,
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
    };
    const { code } = await this.consent(`${this.issuer}/auth?${new URLSearchParams(asked).toString()}`);
    return this.token({
      grant_type: 'authorization_code',
      code,
      redirect_uri: this.redirect,
      client_id: 'flows',
      code_verifier: verifier,
      resource: audience,
    });
  }

  /** Asks the token endpoint as the client that the fields name. */
  async token(fields: Record<string, string> & { client_id: string }): Promise<string> {
    const body = new URLSearchParams({ client_secret: `secret-of-${fields.client_id}`, ...fields });
    const answer = await fetch(`${this.issuer}/token`, { method: 'POST', body });
    if (!answer.ok) throw new Error(`The provider answered ${answer.status}: ${await answer.text()}`);
    return ((await answer.json()) as { access_token: string }).access_token;
  }

  stop(): void {
    this.process.disconnect();
  }
}

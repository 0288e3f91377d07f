import { EntityNotFoundError, OAuthApps, type OAuthApp, type OAuthAppSecrets } from '@millrace/domain';
import { Injectable } from '@nestjs/common';
import { Pool } from 'pg';
import { nameDatabaseError } from '../postgres/postgres-failure';
import { storableText } from '../postgres/stored-json';
import { SecretBox, type SecretPlace } from '../secrets/secret-box';

const COLUMNS = `
  id, piece_name as "pieceName", client_id as "clientId", has_webhook_secret as "hasWebhookSecret", created, updated`;

const LIST = `select ${COLUMNS} from oauth_app order by piece_name`;
const FIND = `select ${COLUMNS} from oauth_app where piece_name = $1`;
const UPSERT = `
  insert into oauth_app (id, piece_name, client_id, has_webhook_secret, secrets, created, updated)
  values ($1, $2, $3, $4, $5, $6, $7)
  on conflict (piece_name) do update
  set client_id = excluded.client_id, has_webhook_secret = excluded.has_webhook_secret, secrets = excluded.secrets,
    updated = excluded.updated
  returning ${COLUMNS}`;
const DELETE = `delete from oauth_app where piece_name = $1 returning ${COLUMNS}`;
const FIND_SECRETS = 'select secrets from oauth_app where piece_name = $1';

@Injectable()
export class PostgresOAuthApps extends OAuthApps {
  constructor(
    private readonly pool: Pool,
    private readonly box: SecretBox,
  ) {
    super();
  }

  list(): Promise<OAuthApp[]> {
    return this.rows(LIST, []);
  }

  async find(pieceName: string): Promise<OAuthApp | null> {
    const [app] = await this.rows<OAuthApp>(FIND, [storableText(pieceName)]);
    return app ?? null;
  }

  async upsert(app: Omit<OAuthApp, 'hasWebhookSecret'>, secrets: OAuthAppSecrets): Promise<OAuthApp> {
    const { id, clientId, created, updated } = app;
    const pieceName = storableText(app.pieceName);
    const sealed = await this.box.seal(JSON.stringify(secrets), oauthAppPlace(pieceName));
    const values = [id, pieceName, storableText(clientId), secrets.webhookSecret !== null, sealed, created, updated];
    const [stored] = await this.rows<OAuthApp>(UPSERT, values);
    return stored as OAuthApp;
  }

  async delete(pieceName: string): Promise<OAuthApp> {
    const [app] = await this.rows<OAuthApp>(DELETE, [storableText(pieceName)]);
    if (!app) throw new EntityNotFoundError('oauth_app', pieceName);
    return app;
  }

  async secretsOf({ pieceName }: OAuthApp): Promise<OAuthAppSecrets> {
    const [row] = await this.rows<{ secrets: Buffer }>(FIND_SECRETS, [pieceName]);
    if (!row) throw new EntityNotFoundError('oauth_app', pieceName);
    return JSON.parse(await this.box.open(row.secrets, oauthAppPlace(pieceName))) as OAuthAppSecrets;
  }

  /** Throws ServiceUnavailableError when the database is unavailable. */
  private async rows<Row extends object>(text: string, values: unknown[]): Promise<Row[]> {
    try {
      return (await this.pool.query<Row>(text, values)).rows;
    } catch (error) {
      throw nameDatabaseError(error);
    }
  }
}

const oauthAppPlace = (pieceName: string): SecretPlace => ({
  name: `the secrets of the app of ${pieceName}`,
  table: 'oauth_app',
  row: [pieceName],
  projectId: null,
  purpose: 'secrets',
  formerContext: '',
});

import { ConnectionValues, FreshConnections, OAuth2Refusal, type Connection } from '@millrace/domain';
import { Injectable } from '@nestjs/common';
import type { ConnectionTestDto } from './connection.dto';

const OPENS = 'The stored value can be read. Whether the service accepts it shows in a step that uses it.';
const REFRESHED = 'The provider gave a new access token.';
const VALID =
  'The provider gave no refresh token, so only a step that uses the access token shows whether it is valid.';
const BUSY = 'Another process is asking the provider for a new access token.';

/** Tries a connection as far as that is possible without a piece. */
@Injectable()
export class ConnectionTest {
  constructor(
    private readonly values: ConnectionValues,
    private readonly fresh: FreshConnections,
  ) {}

  async of({ id, projectId, externalId }: Connection): Promise<ConnectionTestDto> {
    const found = (await this.values.find(projectId, [externalId])).get(externalId);
    if (found?.problem !== undefined) return { ok: false, message: found.problem };
    if (found?.value.type !== 'OAUTH2') return { ok: true, message: OPENS };
    const { grant_type: grant, refresh_token: refresh } = found.value;
    if (grant === 'authorization_code' && refresh === null) return { ok: true, message: VALID };
    const result = await this.fresh.refreshNow(id);
    if (result instanceof OAuth2Refusal) return { ok: false, message: result.message };
    return { ok: true, message: result === 'busy' ? BUSY : REFRESHED };
  }
}

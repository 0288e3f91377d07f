import { Injectable } from '@nestjs/common';
import {
  ConnectionRepository,
  isId,
  type Connection,
  type ConnectionFilter,
  type ConnectionUse,
  type ConnectionValue,
  type Page,
  type PageRequest,
} from '@millrace/domain';
import { DataSource, In } from 'typeorm';
import { insertEvents } from '../event-destinations/new-event.statements';
import { deleteInProjects, getInProjects } from '../identity/in-projects';
import { readEntityPage } from '../lists/entity-page';
import { sendInManager } from '../postgres/send';
import { storableText } from '../postgres/stored-json';
import { SecretBox } from '../secrets/secret-box';
import { ConnectionEntity } from './connection.entity';
import { sealValue } from './sealed-value';
import { lockSharing, lockSharingWithKeys, replaceShared, sealShared } from './shared-connection.statements';
import { inEntityTransaction } from '../postgres/in-entity-transaction';

/**
 * One statement inserts or replaces, so that callers that make the same connection at the same time do not conflict.
 * The value is bound to the row's id, so it is written when that is known; until then the row is locked.
 */
const UPSERT = `
  insert into connection (id, project_id, external_id, display_name, type, value, created, updated)
  values ($1, $2, $3, $4, $5, '', $6, $7)
  on conflict (project_id, external_id) do update
  set display_name = excluded.display_name, type = excluded.type, updated = excluded.updated,
    status = 'ACTIVE', status_reason = null, refresh_epoch = connection.refresh_epoch + 1, refresh_until = null
  returning id, created`;

const FIND_USES = `
  select flow.id, version.display_name as "displayName"
  from flow_use as used join flow on flow.id = used.flow_id join flow_version as version on version.id = latest_version_id
  where used.project_id = $1 and used.kind = 'CONNECTION' and used.external_id = $2
  order by flow.id desc limit 100`;

const SET_VALUE = 'update connection set value = $2 where id = $1';

@Injectable()
export class PostgresConnectionRepository extends ConnectionRepository {
  constructor(
    private readonly dataSource: DataSource,
    private readonly box: SecretBox,
  ) {
    super();
  }

  async upsert(connection: Connection, value: ConnectionValue): Promise<Connection> {
    const externalId = storableText(connection.externalId);
    const displayName = storableText(connection.displayName);
    const { id, projectId, type, created, updated } = connection;
    const values = [id, projectId, externalId, displayName, type, created, updated];
    return inEntityTransaction(this.dataSource, async (tx) => {
      const send = sendInManager(tx);
      await lockSharingWithKeys(send, this.box, projectId);
      const [kept] = await tx.query<[Pick<Connection, 'id' | 'created'>]>(UPSERT, values);
      const stored = { ...connection, externalId, displayName, ...kept };
      await tx.query(SET_VALUE, [stored.id, await sealValue(this.box, stored, value)]);
      await replaceShared(send, stored, await sealShared(this.box, stored, value));
      await insertEvents(tx, projectId, ['connection.upserted'], stored);
      return stored;
    });
  }

  get(connectionId: string, projectIds: readonly string[] | 'any'): Promise<Connection> {
    return getInProjects(this.connections, 'connection', connectionId, projectIds);
  }

  async usesOf({ projectId, externalId }: Connection): Promise<ConnectionUse[]> {
    return this.dataSource.query<ConnectionUse[]>(FIND_USES, [projectId, externalId]);
  }

  list({ projectId, externalIds }: ConnectionFilter, page: PageRequest): Promise<Page<Connection>> {
    const named = externalIds && { externalId: In(externalIds.map(storableText)) };
    const where = isId(projectId) ? { projectId, ...named } : null;
    return readEntityPage(this.connections, page, { filters: ['connections', projectId, externalIds], where });
  }

  async delete(connectionId: string, projectIds: readonly string[] | 'any'): Promise<void> {
    await inEntityTransaction(this.dataSource, async (tx) => {
      const connections = tx.getRepository(ConnectionEntity);
      const connection = await getInProjects(connections, 'connection', connectionId, projectIds);
      const send = sendInManager(tx);
      await lockSharing(send, connection.projectId);
      await deleteInProjects(connections, 'connection', connectionId, projectIds);
      await replaceShared(send, connection, null);
      await insertEvents(tx, connection.projectId, ['connection.deleted'], connection);
    });
  }

  private get connections() {
    return this.dataSource.getRepository(ConnectionEntity);
  }
}

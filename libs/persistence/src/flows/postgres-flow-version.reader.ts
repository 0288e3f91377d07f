import { Injectable } from '@nestjs/common';
import {
  EntityNotFoundError,
  FlowVersionReader,
  isId,
  type DraftFlow,
  type FlowVersion,
  type PublishedFlow,
  type TriggeredFlow,
} from '@millrace/domain';
import { Pool, type QueryConfig } from 'pg';
import { GroupCommit } from '../postgres/group-commit';
import { plainArray } from '../postgres/packed-bytes';
import { nameDatabaseError } from '../postgres/postgres-failure';
import { storableText } from '../postgres/stored-json';

// What a package says of the trigger of a version, when it takes webhooks. No package has the name of a built-in piece.
const packageWebhookOf = (version: string): string => `
  select json_build_object('versionId', ${version}.id, 'handshake', said -> 'handshakeConfiguration') as webhook
  from piece_package package
  cross join lateral (
    select package.description #> array['triggers', ${version}.trigger #>> '{settings,triggerName}'] as said
  ) as package_trigger
  where package.name = ${version}.trigger_piece and package.version = ${version}.trigger #>> '{settings,pieceVersion}'
    and package.state = 'INSTALLED' and said ->> 'type' = 'WEBHOOK'`;

// A trigger that is being enabled has an operation whose hook may wait for the handshake of another service.
const FIND_PUBLISHED = `
  select flow.id as "flowId", flow.project_id as "projectId", flow.status,
    flow.published_version_id as "publishedVersionId", version.trigger_piece as "triggerPiece",
    version.trigger_input as "triggerInput", taking.webhook as "packageWebhook", enabling.webhook as "enablingWebhook"
  from flow
  left join flow_version version on version.id = flow.published_version_id
  left join lateral (${packageWebhookOf('version')}) as taking on true
  left join trigger_operation operation on operation.flow_id = flow.id and operation.kind = 'ENABLING'
  left join flow_version enabled on enabled.id = (operation.triggers::json #>> '{on,flowVersionId}')::uuid
  left join lateral (${packageWebhookOf('enabled')}) as enabling on true
  where flow.id = any($1::uuid[])`;

const FIND_DRAFT = `
  select flow.id as "flowId", flow.project_id as "projectId", version.id as "versionId", version.valid as "isValid",
    version.trigger_piece as "triggerPiece", version.trigger_input as "triggerInput", version.trigger ->> 'name' as "triggerName",
    taking.webhook as "packageWebhook"
  from flow join flow_version version on version.id = flow.latest_version_id
  left join lateral (${packageWebhookOf('version')}) as taking on true
  where flow.id = $1`;

const FIND_CALLABLE = `
  select id as "flowId", project_id as "projectId", status, published_version_id as "publishedVersionId"
  from flow where project_id = $1 and (id = $2 or external_id = $3)
  order by id = $2 desc nulls last, status = 'ENABLED' desc, id
  limit 1`;

const GET_VERSION = `
  select id, flow_id as "flowId", display_name as "displayName", trigger, valid, schema_version as "schemaVersion",
    state, notes, created, updated, updated_by as "updatedBy"
  from flow_version where id = $1`;

/** The ids of versions follow the order in which they were made. */
const ENABLED_VERSIONS = `
  select published_version_id as id from flow
  where status = 'ENABLED' and published_version_id is not null
  order by published_version_id desc limit $1`;

@Injectable()
export class PostgresFlowVersionReader extends FlowVersionReader {
  private readonly published = new GroupCommit((flowIds: readonly string[]) => this.loadPublished(flowIds), {
    name: 'flow look-ups',
  });

  constructor(private readonly pool: Pool) {
    super();
  }

  async findPublished(flowId: string): Promise<TriggeredFlow | null> {
    return isId(flowId) ? this.published.add(flowId.toLowerCase()) : null;
  }

  async findDraft(flowId: string): Promise<DraftFlow | null> {
    if (!isId(flowId)) return null;
    return (await this.ask<DraftFlow>({ name: 'find-draft', text: FIND_DRAFT, values: [flowId] }))[0] ?? null;
  }

  async findCallable(projectId: string, flowIdOrExternalId: string): Promise<PublishedFlow | null> {
    const values = [projectId, isId(flowIdOrExternalId) ? flowIdOrExternalId : null, storableText(flowIdOrExternalId)];
    return (await this.ask<PublishedFlow>({ name: 'find-callable', text: FIND_CALLABLE, values }))[0] ?? null;
  }

  async enabledVersions(most: number): Promise<string[]> {
    return (await this.ask<{ id: string }>({ text: ENABLED_VERSIONS, values: [most] })).map(({ id }) => id);
  }

  async getVersion(versionId: string): Promise<FlowVersion> {
    const version = isId(versionId) ? await this.loadVersion(versionId) : undefined;
    if (!version) throw new EntityNotFoundError('flow_version', versionId);
    return version;
  }

  private async loadPublished(flowIds: readonly string[]): Promise<(TriggeredFlow | null)[]> {
    const values = [plainArray([...new Set(flowIds)])];
    const rows = await this.ask<TriggeredFlow>({ name: 'find-published', text: FIND_PUBLISHED, values });
    const flowById = new Map(rows.map((flow) => [flow.flowId, flow]));
    return flowIds.map((id) => flowById.get(id) ?? null);
  }

  private async loadVersion(versionId: string): Promise<FlowVersion | undefined> {
    return (await this.ask<FlowVersion>({ name: 'get-version', text: GET_VERSION, values: [versionId] }))[0];
  }

  /**
   * Rejects with ServiceUnavailableError when the database is unavailable, so that the step which asks does not fail.
   */
  private async ask<Row extends object>(query: QueryConfig): Promise<Row[]> {
    try {
      return (await this.pool.query<Row>(query)).rows;
    } catch (error) {
      throw nameDatabaseError(error);
    }
  }
}

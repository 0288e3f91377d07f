import { FLOW_STATUSES, isId, type FlowFilter, type FlowSummary, type Page, type PageRequest } from '@millrace/domain';
import type { DataSource } from 'typeorm';
import { inSlice, inSliceOrder, orderOf, rowsOf, StatementValues, type Statement } from '../lists/list-statement';
import { inOneOrder, readPage, type Slice } from '../lists/page-cursor';
import { storableText } from '../postgres/stored-json';
import type { FlowUseKind } from './flow-uses';
import { searchName } from './search-name';
import { toFlowSummary, type FlowSummaryRow } from './flow-summary.mapper';

// A list is read from index ranges, each in the order of ids: one range for each status and version state, or for each
// external id of the filter. PostgreSQL merges the ranges and stops at the end of the page, however many flows match.

const VERSION_STATES = ['DRAFT', 'LOCKED'] as const;

const COLUMNS = `
  flow.id, flow.project_id as "projectId", flow.external_id as "externalId", flow.owner_id as "ownerId",
  flow.folder_id as "folderId", flow.status, flow.published_version_id as "publishedVersionId", flow.metadata,
  flow.operation_status as "operationStatus", flow.time_saved_per_run as "timeSavedPerRun",
  flow.template_id as "templateId", flow.created, flow.updated, flow.updated_by as "updatedBy", flow.revision,
  version.id as "versionId", version.display_name as "displayName", version.valid,
  version.schema_version as "schemaVersion", version.state, version.created as "versionCreated",
  version.updated as "versionUpdated", version.updated_by as "versionUpdatedBy", version.contents,
  case when version.contents is null then version.trigger end as "uncountedTrigger",
  version.published_at as "publishedAt", version.published_by as "publishedBy", version.publish_note as "publishNote"`;

export function listFlows(dataSource: DataSource, filter: FlowFilter, page: PageRequest): Promise<Page<FlowSummary>> {
  return readPage(page, sealed(filter), async (slice) => {
    const rows = await rowsOf<FlowSummaryRow>(dataSource, listStatement(filter, slice));
    return rows.map(toFlowSummary);
  });
}

export async function countFlows(
  dataSource: DataSource,
  filter: Pick<FlowFilter, 'projectId' | 'folderId'>,
): Promise<number> {
  const rows = await rowsOf<{ count: number }>(dataSource, countStatement(filter));
  return rows[0]?.count ?? 0;
}

export function countStatement({ projectId, folderId }: Pick<FlowFilter, 'projectId' | 'folderId'>): Statement | null {
  if (!namesPossibleFlows({ projectId, folderId })) return null;
  const values = new StatementValues();
  return {
    text: `select count(*)::int as count from flow where ${placeCondition({ projectId, folderId }, values)}`,
    values: values.all,
  };
}

/** Returns the statement for a page, or null when no flow can match. */
export function listStatement(filter: FlowFilter, slice: Slice): Statement | null {
  if (!namesPossibleFlows(filter)) return null;
  const values = new StatementValues();
  const text = `
    with page as (
      select distinct id from (${indexRanges(filter, slice, values)}) found ${inSliceOrder('id', slice)}
    )
    select ${COLUMNS}
    from page join flow on flow.id = page.id join flow_version version on version.id = flow.latest_version_id
    order by flow.id ${orderOf(slice)}`;
  return { text, values: values.all };
}

function indexRanges(filter: FlowFilter, slice: Slice, values: StatementValues): string {
  if (filter.externalIds) {
    const where = conditions(filter, slice, values, 'externalIds');
    return `select found.id from unnest(${values.texts(filter.externalIds)}) asked cross join lateral (
      select id from flow where external_id = asked and ${where} ${inSliceOrder('id', slice)}) found`;
  }
  const uses = onlyUses(filter);
  if (uses) {
    return `select found.flow_id as id from unnest(${values.texts(uses.externalIds)}) asked cross join lateral (
      select flow_id from flow_use
      where project_id = ${values.id(filter.projectId)} and kind = ${values.text(uses.kind)} and external_id = asked
        and ${inSlice('flow_id', slice, values)} ${inSliceOrder('flow_id', slice)}) found`;
  }
  const { status = FLOW_STATUSES, versionState, folderId, name } = filter;
  if (name) return namedFlows(filter, name, slice, values);
  if (!filter.status && !versionState && folderId === undefined) {
    return `select id from flow where ${conditions(filter, slice, values)} ${inSliceOrder('id', slice)}`;
  }
  const where = conditions({ ...filter, status: undefined, versionState: undefined }, slice, values);
  const states = versionState ? [versionState] : VERSION_STATES;
  return [...new Set(status)]
    .flatMap((one) => states.map((state) => `status = ${values.text(one)} and version_state = ${values.text(state)}`))
    .map((range) => `(select id from flow where ${range} and ${where} ${inSliceOrder('id', slice)})`)
    .join(' union all ');
}

/**
 * A search for a name tries three ways and stops at the first that suffices. It searches the newest flows, which fill
 * the page when the name is frequent. Then it searches the index of n-grams, which finds a rare name. Then it reads all
 * flows in order.
 */
function namedFlows(filter: FlowFilter, name: string, slice: Slice, values: StatementValues): string {
  const project = `flow.project_id = ${values.id(filter.projectId)}`;
  const all = `select id from flow where ${project} and ${conditions(filter, slice, values)} ${inSliceOrder('id', slice)}`;
  const nGrams = nGramsOf(filter.projectId, searchName(name));
  return `
    with newest as (
      select flow.* from flow where ${project} and ${inSlice('id', slice, values)} ${inSliceOrder('id', slice, NEWEST)}
    ), among_newest as materialized (
      select id from newest flow where ${conditions(filter, slice, values)} ${inSliceOrder('id', slice)}
    ), by_n_grams as materialized (
      select id from flow
      where flow_name_grams(project_id, search_name) @> ${values.texts(nGrams)}
        and ${project} and ${conditions(filter, slice, values)}
      limit ${RARE + 1}
    )
    select id from among_newest where (select count(*) from among_newest) = ${slice.limit}
    union all
    select id from by_n_grams
    where (select count(*) from among_newest) < ${slice.limit} and (select count(*) from by_n_grams) <= ${RARE}
    union all
    select id from (${all}) each
    where (select count(*) from among_newest) < ${slice.limit} and (select count(*) from by_n_grams) > ${RARE}`;
}

/** How many of the newest flows are searched first. */
const NEWEST = 3_000;
/** A name is rare when at most this many flows have it: then they are sorted. */
const RARE = 1_000;
/** More n-grams would hardly narrow the search. */
const MOST_N_GRAMS = 8;
const N_GRAM_LETTERS = 3;

/** Returns the longest n-grams of the name, as flow_name_grams in the database makes them, and at most MOST_N_GRAMS. */
function nGramsOf(projectId: string, name: string): string[] {
  const letters = [...storableText(name)];
  const scope = projectId.toLowerCase().slice(-6);
  const count = Math.max(1, letters.length - N_GRAM_LETTERS + 1);
  const step = Math.ceil(count / MOST_N_GRAMS);
  return Array.from({ length: Math.ceil(count / step) }, (_, i) => {
    const start = count - 1 - i * step;
    return letters.slice(start, start + N_GRAM_LETTERS).join('') + scope;
  });
}

/** Returns the uses when the filter asks for them only, because the table of uses lists such flows in order. */
function onlyUses(filter: FlowFilter): { kind: FlowUseKind; externalIds: readonly string[] } | null {
  const { projectId: _project, connectionExternalIds, agentExternalIds, ...others } = filter;
  if (Object.values(others).some((value) => value !== undefined)) return null;
  if (connectionExternalIds && !agentExternalIds) return { kind: 'CONNECTION', externalIds: connectionExternalIds };
  if (agentExternalIds && !connectionExternalIds) return { kind: 'AGENT', externalIds: agentExternalIds };
  return null;
}

/** Returns the conditions for rows of `flow` in every index range. */
function conditions(filter: FlowFilter, slice: Slice, values: StatementValues, without?: 'externalIds'): string {
  const { status, versionState, name, externalIds, connectionExternalIds, agentExternalIds } = filter;
  const all = [placeCondition(filter, values), inSlice('flow.id', slice, values)];
  if (status) all.push(`status = any(${values.texts(status)})`);
  if (versionState) all.push(`version_state = ${values.text(versionState)}`);
  if (name) all.push(`search_name like ${values.text(containing(searchName(name)))}`);
  if (externalIds && without !== 'externalIds') all.push(`flow.external_id = any(${values.texts(externalIds)})`);
  if (connectionExternalIds) all.push(useCondition(filter, 'CONNECTION', connectionExternalIds, values));
  if (agentExternalIds) all.push(useCondition(filter, 'AGENT', agentExternalIds, values));
  return all.join(' and ');
}

/**
 * `place_id` is the flow's folder, or its project for a flow without a folder. Its index serves this condition alone.
 */
function placeCondition(
  { projectId, folderId }: Pick<FlowFilter, 'projectId' | 'folderId'>,
  values: StatementValues,
): string {
  const project = values.id(projectId);
  if (folderId === undefined) return `flow.project_id = ${project}`;
  if (folderId === null) return `place_id = ${project}`;
  const folder = values.id(folderId);
  return `place_id = ${folder} and exists (select from folder where id = ${folder} and project_id = ${project})`;
}

const containing = (part: string): string => `%${part.replace(/[\\%_]/g, '\\$&')}%`;

function useCondition(
  { projectId }: FlowFilter,
  kind: FlowUseKind,
  externalIds: readonly string[],
  values: StatementValues,
) {
  return `exists (select from flow_use used where used.flow_id = flow.id and used.project_id = ${values.id(projectId)}
    and used.kind = ${values.text(kind)} and used.external_id = any(${values.texts(externalIds)}))`;
}

/** A text that is no id names no project or folder, and PostgreSQL would refuse it. */
const namesPossibleFlows = ({ projectId, folderId, status }: FlowFilter): boolean =>
  isId(projectId) && (folderId === undefined || folderId === null || isId(folderId)) && status?.length !== 0;

/** Returns all filters of a list, so that a cursor of one list is refused by another. */
const sealed = (filter: FlowFilter): unknown[] => [
  'flows',
  filter.projectId,
  filter.folderId === undefined ? 'anywhere' : filter.folderId,
  inOneOrder(filter.status),
  filter.name,
  filter.versionState,
  inOneOrder(filter.externalIds),
  inOneOrder(filter.connectionExternalIds),
  inOneOrder(filter.agentExternalIds),
];

import {
  EntityNotFoundError,
  FlowRepository,
  FlowRunRepository,
  InvalidRequestError,
  isId,
  StoreEntries,
  type Page,
  type Principal,
  type StoreEntry,
  type StorePlace,
} from '@millrace/domain';
import { Injectable } from '@nestjs/common';
import { ProjectAccess } from '../auth/project-access';
import { pageOf } from '../rest/paged-query.dto';
import { dataFor } from '../runs/hidden-requests';
import type { Upserted } from '../rest/upsert-answer';
import type { ListStoreEntriesQueryDto, PutStoreEntryDto, StorePlaceDto } from './store-entry.dto';

/** Lists, writes and removes the values that flows keep between runs. */
@Injectable()
export class StoreEntriesService {
  constructor(
    private readonly entries: StoreEntries,
    private readonly flows: FlowRepository,
    private readonly runs: FlowRunRepository,
    private readonly access: ProjectAccess,
  ) {}

  async list(principal: Principal, query: ListStoreEntriesQueryDto): Promise<Page<StoreEntry>> {
    const projectId = await this.access.projectOf(principal, query.projectId);
    const { scope, key } = query;
    const place = { projectId, scope, scopeId: query.scopeId?.toLowerCase(), key };
    const page = await this.entries.list(place, pageOf(query));
    return {
      ...page,
      data: page.data.map((entry) => ({ ...entry, value: dataFor(principal, projectId, entry.value) })),
    };
  }

  async put(principal: Principal, body: PutStoreEntryDto): Promise<Upserted<StoreEntry>> {
    await this.access.assertPermitted(principal, body.projectId);
    const place = placeOf(body);
    await this.assertScopeExists(place);
    let isNew = true;
    await this.entries.change(place, null, (value) => {
      isNew = value === null;
      return body.value;
    });
    const [thing] = (await this.entries.list(place, { limit: 1, cursor: null })).data;
    // The entry may have been removed after it was written.
    if (!thing) throw new EntityNotFoundError('store_entry', place.key);
    return { thing, isNew };
  }

  /** Removes a value. The flow or run of its scope need not exist any more. */
  async delete(principal: Principal, query: StorePlaceDto): Promise<void> {
    await this.access.assertPermitted(principal, query.projectId);
    await this.entries.change(placeOf(query), null, () => null);
  }

  private async assertScopeExists({ projectId, scope, scopeId }: StorePlace): Promise<void> {
    if (scope === 'FLOW') await this.flows.get(scopeId, [projectId]);
    if (scope === 'RUN') await this.runs.getDetail(scopeId, [projectId]);
  }
}

/** Returns the place of a value. Throws InvalidRequestError, and EntityNotFoundError for an impossible id. */
function placeOf({ projectId, scope, scopeId, key }: StorePlaceDto): StorePlace {
  if (scope === 'PROJECT' && scopeId !== undefined && scopeId !== projectId)
    throw wrongScopeId('must be the project itself, or left out.');
  if (scope === 'PROJECT') return { projectId, scope, scopeId: projectId, key };
  if (scopeId === undefined) throw wrongScopeId('is required for the scopes FLOW and RUN.');
  if (!isId(scopeId)) throw new EntityNotFoundError(scope === 'FLOW' ? 'flow' : 'flow_run', scopeId);
  return { projectId, scope, scopeId: scopeId.toLowerCase(), key };
}

const wrongScopeId = (message: string) => new InvalidRequestError([{ path: '/scopeId', message }]);

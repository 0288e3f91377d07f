import { DomainError, parseFlowOperation, type OperationContext, type PopulatedFlow } from '@millrace/domain';
import { aFlow, aFlowVersion, aPrincipal } from '@millrace/domain/testing';
import { ApiError } from '../../api/api-error';
import type { Definition } from '../definition';
import type { Flow, SavedFlow } from '../flow-requests';
import type { Operation } from '../operation';

/** The operations of the service in memory: the rules of the domain read and apply what the editor sends. */
export class InMemoryService {
  private flow: PopulatedFlow = { ...aFlow(), version: { ...aFlowVersion(), state: 'DRAFT' } };

  /** A service that has a flow of this definition. */
  static async with(definition: Definition): Promise<InMemoryService> {
    const service = new InMemoryService();
    await service.apply({ type: 'IMPORT_FLOW', request: { ...definition, schemaVersion: '20' } });
    return service;
  }

  private async apply(operation: { type: string; request: unknown }): Promise<void> {
    const { flow, version } = await parseFlowOperation(asSent(operation)).apply(this.flow, CONTEXT);
    this.flow = { ...flow, version };
  }

  readonly read = async (): Promise<SavedFlow> => {
    const { version } = this.flow;
    return { flow: { ...this.flow, version: asSent(version) } as unknown as Flow, etag: `"${this.flow.revision}"` };
  };

  readonly send = async (operation: Operation, etag: string): Promise<SavedFlow> => {
    if (etag !== `"${this.flow.revision}"`) throw new ApiError(412, 'PRECONDITION_FAILED', 'It was changed.', null, {});
    try {
      await this.apply(operation);
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      const params = JSON.stringify(error.params);
      throw new ApiError(400, error.code, `${error.message} ${params} ${JSON.stringify(operation)}`, null, {});
    }
    return this.read();
  };

  /** What a person has made, as the text that the service keeps, without the ids, times and checks that it makes itself. */
  readonly text = (): string => {
    const { displayName, trigger, notes } = this.flow.version;
    const theirs = notes.map(({ ownerId: _owner, createdAt: _created, updatedAt: _updated, ...note }) => note);
    return JSON.stringify({ displayName, trigger, notes: theirs }).replaceAll(/"valid":(true|false),/g, '');
  };
}

const asSent = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

const CONTEXT: OperationContext = {
  principal: aPrincipal('ADMIN', { userId: aFlow().updatedBy }),
  now: new Date('2026-01-02T00:00:00.000Z'),
  newVersionId: 'version',
  newId: () => 'id',
  check: (version) => ({ version, problems: [] }),
  findVersion: () => Promise.resolve(null),
  hasFolder: () => Promise.resolve(false),
  hasMember: () => Promise.resolve(true),
};

import { Injectable } from '@nestjs/common';
import { FlowVersionReader } from '@millrace/domain';
import { compileFlowVersion, type CompiledFlow } from '@millrace/engine';
import { LRUCache } from 'lru-cache';

const MAX_VERSIONS = 1_000;

interface LoadedVersion {
  flow: CompiledFlow;
  isLocked: boolean;
}

/**
 * Loads and compiles flow versions. A locked version never changes, so it is compiled once and kept while it is in use.
 * A draft may be edited between two runs, so each run loads it again.
 */
@Injectable()
export class CompiledFlows {
  private readonly locked = new LRUCache<string, CompiledFlow>({ max: MAX_VERSIONS });
  private readonly loading = new Map<string, Promise<LoadedVersion>>();

  constructor(private readonly flows: FlowVersionReader) {}

  /** Returns the compiled version, without a promise when it is at hand. Throws EntityNotFoundError. */
  get(versionId: string): CompiledFlow | Promise<CompiledFlow> {
    return this.locked.get(versionId) ?? this.getLoaded(versionId);
  }

  private async getLoaded(versionId: string): Promise<CompiledFlow> {
    const underWay = this.loading.get(versionId);
    if (underWay) {
      const { flow, isLocked } = await underWay;
      if (isLocked) return flow;
      return (await this.load(versionId)).flow; // the shared load may have read an older draft
    }
    const load = this.load(versionId).finally(() => this.loading.delete(versionId));
    this.loading.set(versionId, load);
    return (await load).flow;
  }

  private async load(versionId: string): Promise<LoadedVersion> {
    const version = await this.flows.getVersion(versionId);
    const flow = compileFlowVersion(version);
    const isLocked = version.state === 'LOCKED';
    if (isLocked) this.locked.set(versionId, flow);
    return { flow, isLocked };
  }
}

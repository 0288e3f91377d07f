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
 * Locked versions never change: loaded and compiled once, kept for as long as they are in use. A draft may be edited
 * between two runs: each of them loads it anew.
 */
@Injectable()
export class CompiledFlows {
  private readonly locked = new LRUCache<string, CompiledFlow>({ max: MAX_VERSIONS });
  private readonly loading = new Map<string, Promise<LoadedVersion>>();

  constructor(private readonly flows: FlowVersionReader) {}

  /** Throws EntityNotFoundError. */
  get(versionId: string): CompiledFlow | Promise<CompiledFlow> {
    return this.locked.get(versionId) ?? this.getLoaded(versionId);
  }

  private async getLoaded(versionId: string): Promise<CompiledFlow> {
    const underWay = this.loading.get(versionId);
    if (underWay) {
      const { flow, isLocked } = await underWay;
      if (isLocked) return flow;
      return (await this.load(versionId)).flow; // what was read before this run began may be older than its draft
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

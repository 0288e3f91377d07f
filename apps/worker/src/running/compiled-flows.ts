import { Injectable } from '@nestjs/common';
import { FlowVersionReader } from '@millrace/domain';
import { compileFlowVersion, type CompiledFlow } from '@millrace/engine';
import { LRUCache } from 'lru-cache';

const MAX_VERSIONS = 1_000;

/** Locked versions never change: loaded and compiled once, kept for as long as they are in use. */
@Injectable()
export class CompiledFlows {
  private readonly cache = new LRUCache<string, Promise<CompiledFlow>>({ max: MAX_VERSIONS });

  constructor(private readonly flows: FlowVersionReader) {}

  get(versionId: string): Promise<CompiledFlow> {
    let compiled = this.cache.get(versionId);
    if (!compiled) {
      compiled = this.compile(versionId);
      this.cache.set(versionId, compiled);
    }
    return compiled;
  }

  private async compile(versionId: string): Promise<CompiledFlow> {
    try {
      const version = await this.flows.getVersion(versionId);
      if (version.state !== 'LOCKED') this.cache.delete(versionId);
      return compileFlowVersion(version);
    } catch (error) {
      this.cache.delete(versionId);
      throw error;
    }
  }
}

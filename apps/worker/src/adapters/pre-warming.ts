import { setTimeout as sleep } from 'node:timers/promises';
import type { FlowVersionReader } from '@millrace/domain';
import type { CompiledFlow, GuestProgram } from '@millrace/engine';
import type { CompiledFlows } from '@millrace/runner';
import { isProblem } from '@millrace/sandbox';
import { Logger } from '@nestjs/common';
import type { CodeBundles } from './code-bundles';

/** So many compiled flows a worker keeps. */
const MOST_FLOWS = 1_000;
const MOST_MS = 20_000;
const MOST_BYTES = 64 * 1024 * 1024;

export interface PreWarmingLimits {
  timeMs: number;
  bytes: number;
}

/**
 * Loads what the first runs of enabled flows would wait for: the flows, compiled, and the scripts of their code steps.
 * Pieces need nothing of it: they are part of the worker. The newest flows come first, until time or bytes are used up.
 * What cannot be loaded is left to the run that needs it.
 */
export class PreWarming {
  private readonly logger = new Logger('PreWarming');

  constructor(
    private readonly versions: FlowVersionReader,
    private readonly flows: CompiledFlows,
    private readonly bundles: CodeBundles,
  ) {}

  async warm({ timeMs, bytes }: PreWarmingLimits = { timeMs: MOST_MS, bytes: MOST_BYTES }): Promise<void> {
    const loaded = { flows: 0, codeSteps: 0, bytes: 0, skipped: 0 };
    const overtime = new AbortController();
    const late = sleep(timeMs, undefined, { signal: overtime.signal }).catch(() => undefined);
    let isLate = false;
    const loading = async () => {
      for (const id of await this.versions.enabledVersions(MOST_FLOWS)) {
        if (isLate || loaded.bytes >= bytes) return;
        await this.load(id, loaded).catch(() => loaded.skipped++);
      }
    };
    const began = performance.now();
    await Promise.race([
      loading().catch((error: unknown) => this.logger.warn('Enabled flows cannot be loaded before they run.', error)),
      late.then(() => (isLate = true)),
    ]);
    overtime.abort();
    const ms = Math.round(performance.now() - began);
    this.logger.log({ msg: 'Loaded what enabled flows need.', ...loaded, ms });
  }

  private async load(versionId: string, loaded: { flows: number; codeSteps: number; bytes: number }): Promise<void> {
    const flow = await this.flows.get(versionId);
    loaded.flows++;
    for (const program of programsOf(flow.steps)) {
      const bundle = await this.bundles.get(program);
      if (isProblem(bundle)) continue;
      loaded.codeSteps++;
      loaded.bytes += bundle.script.length + bundle.sourceMap.length;
    }
  }
}

type CodeProgram = Extract<GuestProgram, { kind: 'code' }>;

function* programsOf(steps: CompiledFlow['steps']): Iterable<CodeProgram> {
  for (const step of steps) {
    if (step.type === 'CODE' && step.program.kind === 'code') yield step.program;
    if (step.type === 'LOOP_ON_ITEMS') yield* programsOf(step.body);
    if (step.type === 'ROUTER') for (const branch of step.children) yield* programsOf(branch);
  }
}

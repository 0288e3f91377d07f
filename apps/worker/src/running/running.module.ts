import { join } from 'node:path';
import { Processor } from '@nestjs/bullmq';
import { Inject, Module, type DynamicModule, type OnApplicationShutdown } from '@nestjs/common';
import { Clock, CodeBundleStore, UnfinishedRuns, JobQueue, RUN_QUEUE, RunJournal, SystemClock } from '@millrace/domain';
import { DEFAULT_EXECUTION_LIMITS, SystemRunClock } from '@millrace/engine';
import { queueSettings, queueWorkerOptions } from '@millrace/persistence';
import { bundleCode, Sandbox } from '@millrace/sandbox';
import pLimit from 'p-limit';
import type { WorkerConfig } from '../config';
import { ExecuteFlowProcessor } from '../processors/execute-flow.processor';
import { CodeBundles } from './code-bundles';
import { CompiledFlows } from './compiled-flows';
import { FlowRunner } from './flow-runner.service';
import { OwnedRuns } from './owned-runs';
import { SandboxCodeRunner } from './sandbox-code-runner';

/** Under the 30 s that a process is given after SIGTERM. */
const DRAIN_SECONDS = 25;

/** What it takes to execute a run. */
@Module({})
export class RunningModule implements OnApplicationShutdown {
  constructor(@Inject(Sandbox) private readonly sandbox: Sandbox) {}

  static forRoot(config: WorkerConfig): DynamicModule {
    const timeoutSeconds = config.SVC_FLOW_TIMEOUT_SECONDS;
    const concurrency = config.SVC_WORKER_CONCURRENCY;
    Processor(RUN_QUEUE, queueWorkerOptions(queueSettings(config), { concurrency }))(ExecuteFlowProcessor);
    return {
      module: RunningModule,
      providers: [
        CompiledFlows,
        SandboxCodeRunner,
        { provide: Clock, useClass: SystemClock },
        {
          provide: CodeBundles,
          inject: [CodeBundleStore],
          useFactory: (store: CodeBundleStore) => {
            const options = { packageCacheDir: join(config.SVC_DATA_DIR, 'packages') };
            return new CodeBundles(store, (source) => bundleCode(source, options));
          },
        },
        { provide: Sandbox, useFactory: () => startSandbox(config) },
        {
          provide: OwnedRuns,
          inject: [RunJournal, Clock],
          useFactory: (journal: RunJournal, clock: Clock) =>
            new OwnedRuns(journal, clock, { flowTimeoutSeconds: timeoutSeconds }),
        },
        {
          provide: FlowRunner,
          inject: [RunJournal, CompiledFlows, OwnedRuns, SandboxCodeRunner, Clock],
          useFactory: (
            journal: RunJournal,
            flows: CompiledFlows,
            owned: OwnedRuns,
            codeRunner: SandboxCodeRunner,
            clock: Clock,
          ) => {
            const limits = { ...DEFAULT_EXECUTION_LIMITS, retryBaseMs: config.SVC_STEP_RETRY_BASE_SECONDS * 1_000 };
            const ports = { codeRunner, pieceRunner: null, clock: new SystemRunClock(), limits };
            return new FlowRunner(journal, flows, owned, ports, clock, timeoutSeconds);
          },
        },
        {
          provide: ExecuteFlowProcessor,
          inject: [FlowRunner, UnfinishedRuns, JobQueue],
          useFactory: (runner: FlowRunner, runs: UnfinishedRuns, queue: JobQueue) =>
            new ExecuteFlowProcessor(runner, runs, queue, { slots: pLimit(concurrency), drainSeconds: DRAIN_SECONDS }),
        },
      ],
      exports: [Clock],
    };
  }

  async onApplicationShutdown(): Promise<void> {
    await this.sandbox.close();
  }
}

const startSandbox = (config: WorkerConfig): Promise<Sandbox> =>
  Sandbox.start({
    threads: config.SVC_SANDBOX_THREADS,
    limits: { memoryMb: config.SVC_SANDBOX_MEMORY_LIMIT, cpuMs: config.SVC_SANDBOX_CPU_SECONDS * 1_000 },
  });

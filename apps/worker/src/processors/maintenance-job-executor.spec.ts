import { getEventListeners } from 'node:events';
import type { MaintenanceJob } from '@millrace/domain';
import { aMaintenanceJob } from '@millrace/domain/testing';
import { MaintenanceJobExecutor, type JobSource } from './maintenance-job-executor';
import type { MaintenanceProcessor } from './maintenance-processor';
import { MaintenanceProcessors } from './maintenance-processors';

/** Holds each job until the test ends it. */
class HeldPolls implements MaintenanceProcessor<'PollingJob'> {
  readonly kind = 'PollingJob';
  readonly began: string[] = [];
  private readonly ends = new Map<string, () => void>();

  process(job: MaintenanceJob, signal: AbortSignal): Promise<void> {
    this.began.push(job.rowId);
    return new Promise((resolve, reject) => {
      this.ends.set(job.rowId, resolve);
      signal.addEventListener('abort', () => reject(signal.reason as Error));
    });
  }

  end(rowId: string): void {
    this.ends.get(rowId)?.();
  }
}

const settle = () => new Promise((resolve) => setImmediate(resolve));
const executorOf = (processor: MaintenanceProcessor<'PollingJob'>, slots: number, drainMs = 10_000) =>
  new MaintenanceJobExecutor(new MaintenanceProcessors([processor]), { slots, drainMs });

describe('MaintenanceJobExecutor', () => {
  it('executes so many jobs of a project at once, and lets another project begin', async () => {
    const polls = new HeldPolls();
    const executor = executorOf(polls, 2);

    const jobs = ['a', 'b', 'c'].map((rowId) => executor.execute(aMaintenanceJob({ rowId, projectId: 'many' })));
    const other = executor.execute(aMaintenanceJob({ rowId: 'd', projectId: 'few' }));
    await settle();

    expect(polls.began).toEqual(['a', 'b', 'd']);
    for (const rowId of ['a', 'b', 'd']) polls.end(rowId);
    await settle();
    expect(polls.began).toEqual(['a', 'b', 'd', 'c']);
    polls.end('c');
    await Promise.all([...jobs, other]);
  });

  it('fails a job of a kind that no processor serves', async () => {
    const executor = executorOf(new HeldPolls(), 1);

    await expect(executor.execute(aMaintenanceJob({ kind: 'RenewWebhookJob' }))).rejects.toThrow(
      'no processor for jobs of the kind RenewWebhookJob',
    );
  });

  it('refuses two processors of one kind', () => {
    const both = [new HeldPolls(), new HeldPolls()] as unknown as MaintenanceProcessor[];

    expect(() => new MaintenanceProcessors(both)).toThrow('two processors for jobs of the kind PollingJob');
  });

  it('waits for the jobs in hand when it stops, and closes the queue after them', async () => {
    const polls = new HeldPolls();
    const executor = executorOf(polls, 1);
    const job = executor.execute(aMaintenanceJob({ rowId: 'a' }));
    const calls: string[] = [];
    const source: JobSource = {
      takeNoMore: async () => void calls.push('takes no more'),
      close: async () => void calls.push('closed'),
    };

    const stopped = executor.stop(source);
    await settle();
    expect(calls).toEqual(['takes no more']);
    polls.end('a');
    await Promise.all([job, stopped]);

    expect(calls).toEqual(['takes no more', 'closed']);
  });

  it('interrupts jobs that do not end in time when it stops', async () => {
    const executor = executorOf(new HeldPolls(), 1, 1);
    const interrupted = expect(executor.execute(aMaintenanceJob())).rejects.toThrow('The worker stops.');
    const waiting = expect(executor.execute(aMaintenanceJob())).rejects.toThrow('The worker stops.');

    await executor.stop({ takeNoMore: async () => undefined, close: async () => undefined });

    await Promise.all([interrupted, waiting]);
  });

  it('gives each of a thousand jobs a signal of its own', async () => {
    const signals = new Set<AbortSignal>();
    const leaving = {
      kind: 'PollingJob',
      process: (_job: MaintenanceJob, signal: AbortSignal) => {
        signals.add(signal);
        signal.addEventListener('abort', () => undefined); // and never takes it away
        return Promise.resolve();
      },
    } as const;
    const executor = executorOf(leaving, 20);

    await Promise.all(Array.from({ length: 1_000 }, (_, i) => executor.execute(aMaintenanceJob({ rowId: String(i) }))));

    expect(signals.size).toBe(1_000);
    expect(Math.max(...[...signals].map((signal) => getEventListeners(signal, 'abort').length))).toBe(1);
  });
});

import 'reflect-metadata';

describe('LazyRunIntakeModule', () => {
  it('does not load BullMQ before the first run, which costs the process memory', async () => {
    const loaded: string[] = [];
    for (const name of ['bullmq', '@nestjs/bullmq']) {
      jest.doMock(name, () => {
        loaded.push(name);
        return jest.requireActual<object>(name);
      });
    }

    const { LazyRunIntakeModule } = await import('./lazy-run-intake.module');
    LazyRunIntakeModule.forRoot({ databaseUrl: '', failedJobRetentionDays: 7, failedJobRetentionMaxCount: 1 });
    await import('./maintenance-queue.module');
    expect(loaded).toEqual([]);

    await import('../queue/open-job-queue');
    expect(loaded).toEqual(['bullmq']);
  });
});

import 'reflect-metadata';

describe('PostgresModule', () => {
  it('does not load TypeORM, which costs each process memory and time to start', async () => {
    const loaded: string[] = [];
    for (const name of ['typeorm', '@nestjs/typeorm']) {
      jest.doMock(name, () => {
        loaded.push(name);
        return jest.requireActual<object>(name);
      });
    }

    await import('./postgres.module');
    await import('./connection-values.module');
    expect(loaded).toEqual([]);

    await import('./repositories.module');
    expect(loaded).toContain('typeorm');
  });
});

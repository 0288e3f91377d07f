import { Leadership } from './leadership';

const url = process.env['MILLRACE_TEST_DATABASE_URL'] ?? '';

describe('Leadership', () => {
  it('belongs to one process at a time, and passes on when it resigns', async () => {
    const first = new Leadership(url);
    const second = new Leadership(url);

    expect(await first.isLeader()).toBe(true);
    expect(await second.isLeader()).toBe(false);
    await first.resign();
    expect(await second.isLeader()).toBe(true);

    await second.resign();
  });

  it('is not had, and is no error, while the database is away', async () => {
    expect(await new Leadership('postgres://nobody@127.0.0.1:1/none').isLeader()).toBe(false);
  });
});

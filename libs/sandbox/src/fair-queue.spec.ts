import { FairQueue } from './fair-queue';

const aJob = (name: string) => ({ tenant: name.charAt(0), name });

function taken(queue: FairQueue<{ tenant: string; name: string }>, may?: (tenant: string) => boolean): string {
  const names: string[] = [];
  for (let job = queue.next(may); job; job = queue.next(may)) names.push(job.name);
  return names.join(' ');
}

function filled(...names: string[]) {
  const queue = new FairQueue<{ tenant: string; name: string }>();
  const all = names.map(aJob);
  for (const job of all) queue.push(job);
  return { queue, all };
}

describe('FairQueue', () => {
  it('lets tenants take turns, each in its own order', () => {
    const { queue } = filled('a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1');

    expect(taken(queue)).toBe('a1 b1 c1 a2 b2 a3 a4');
    expect(queue.size).toBe(0);
  });

  it('serves a lone tenant without a pause, however much it has', () => {
    const names = Array.from({ length: 5_000 }, (_, n) => `a${n}`);

    expect(taken(filled(...names).queue)).toBe(names.join(' '));
  });

  it('passes over tenants that may not go now', () => {
    const { queue } = filled('a1', 'b1', 'a2', 'b2');

    expect(taken(queue, (tenant) => tenant !== 'a')).toBe('b1 b2');
    expect(taken(queue)).toBe('a1 a2');
  });

  it('lets jobs that come back go first', () => {
    const { queue } = filled('a1', 'a2', 'a3', 'b1');
    const first = [queue.next(), queue.next()].filter((job) => job !== undefined);
    queue.putBack([...first, aJob('a1+')]);

    expect(taken(queue)).toBe('a1 b1 a1+ a2 a3');
  });

  it('lets all others go before a tenant that gave its turn up', () => {
    const { queue } = filled('a1', 'b1', 'b2', 'c1');
    queue.putBack([aJob('a+')]);
    queue.pushLast(aJob('a2'));

    expect(taken(queue)).toBe('b1 c1 a1 b2 a+ a2');
  });

  it('forgets a job that was taken out', () => {
    const { queue, all } = filled('a1', 'a2', 'b1');
    const [stays, ...others] = all;
    for (const job of [...others, ...others]) queue.remove(job);

    expect({ size: queue.size, firsts: [...queue.firsts()] }).toEqual({ size: 1, firsts: [stays] });
    expect(taken(queue)).toBe('a1');
  });
});

import { ServiceUnavailableError } from '@millrace/domain';
import { Turns } from './turns';

/** Work that ends when `end` is called with its name. */
function someWork(turns: Turns) {
  const began: string[] = [];
  const ends = new Map<string, () => void>();
  const take = (name: string, projectId = 'a') =>
    turns.take(projectId, async () => {
      began.push(name);
      await new Promise<void>((resolve) => ends.set(name, resolve));
      return name;
    });
  const end = async (...names: string[]) => {
    for (const name of names) {
      ends.get(name)?.();
      await settled();
    }
  };
  return { began, take, end };
}
const settled = () => new Promise(setImmediate);

describe('Turns', () => {
  it('lets so much work be under way at once, and the rest in its order', async () => {
    const { began, end, take } = someWork(new Turns(2));
    const names = ['1', '2', '3', '4'];
    const all = Promise.all(names.map((name) => take(name)));
    await settled();
    expect(began).toEqual(['1', '2']);

    await end(...names);
    expect(await all).toEqual(names);
    expect(began).toEqual(names);
  });

  it('lets projects take turns, so that the work of one does not hold up another', async () => {
    const { began, end, take } = someWork(new Turns(1));
    const all = [take('a1'), take('a2'), take('a3'), take('b1', 'b'), take('c1', 'c')];
    await end('a1', 'a2', 'b1', 'c1', 'a3');
    expect(began).toEqual(['a1', 'a2', 'b1', 'c1', 'a3']);
    await Promise.all(all);
  });

  it('goes on after work that fails', async () => {
    const turns = new Turns(1);
    const failing = turns.take('a', () => Promise.reject(new Error('no')));
    const next = turns.take('a', () => Promise.resolve('done'));

    await expect(failing).rejects.toThrow('no');
    expect(await next).toBe('done');
    expect(await turns.take('a', () => Promise.resolve('later'))).toBe('later');
  });

  it('refuses work of a project when too much waits, and has places for others', async () => {
    const { began, end, take } = someWork(new Turns(1, 2));
    const all = [take('a1'), take('a2'), take('a3')];
    await expect(take('a4')).rejects.toThrow(ServiceUnavailableError);

    all.push(take('b1', 'b'));
    await expect(take('b2', 'b')).rejects.toThrow(ServiceUnavailableError);
    await end('a1', 'a2', 'b1', 'a3');
    expect(await Promise.all(all)).toEqual(['a1', 'a2', 'a3', 'b1']);
    expect(began).toHaveLength(4);

    all.push(take('a5'), take('a6'), take('a7'));
    await end('a5', 'a6', 'a7');
    expect(await Promise.all(all)).toHaveLength(7);
  });
});

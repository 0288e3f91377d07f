import { OneAtATime } from './one-at-a-time';

describe('OneAtATime', () => {
  const turns: OneAtATime = new OneAtATime();

  it('begins work when the work of its name before it has ended, also badly', async () => {
    const log: string[] = [];
    let end: (error: Error) => void = () => undefined;
    const first = turns.run('a', () => new Promise<void>((_, reject) => (end = reject)));
    const second = turns.run('a', async () => log.push('second'));
    const third = turns.run('a', async () => log.push('third'));
    await turns.run('b', async () => log.push('another name'));

    end(new Error('broken'));

    await expect(first).rejects.toThrow('broken');
    await Promise.all([second, third]);
    expect(log).toEqual(['another name', 'second', 'third']);
  });

  it('gives back what the work gives', async () => {
    expect(await Promise.all([turns.run('a', async () => 1), turns.run('a', async () => 2)])).toEqual([1, 2]);
  });
});

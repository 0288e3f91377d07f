import { aNewFile } from '../testing/a-file';
import { anId } from '../testing/an-id';
import { HandDrivenClock, sharedBy } from '../testing/hand-driven-clock';
import { InMemoryFileStore } from '../testing/in-memory-file-store';
import { FileRetention } from './file-retention';

const HOUR_MS = 3_600_000;

describe('FileRetention', () => {
  it.each([
    ['days', { days: 2, hours: undefined }, 48],
    ['hours, when they are set', { days: 2, hours: 3 }, 3],
  ])('deletes the files of runs that are older than so many %s', async (_unit, retention, keptHours) => {
    const clock = new HandDrivenClock();
    const files = new InMemoryFileStore();
    const ofRunAt = (hoursAgo: number) =>
      aNewFile({ runId: anId(new Date(clock.now().getTime() - hoursAgo * HOUR_MS)) });
    const [old, young] = [ofRunAt(keptHours + 1), ofRunAt(keptHours - 1)];
    for (const file of [old, young]) await files.write(file, [Buffer.from('hello')]);

    await new FileRetention(files, sharedBy(clock), retention).perform();

    expect(await files.find(old.id, 'any')).toBeNull();
    expect(await files.find(young.id, 'any')).not.toBeNull();
  });
});

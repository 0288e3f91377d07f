import { HandDrivenClock, sharedBy } from '../testing/hand-driven-clock';
import { InMemoryFileStore } from '../testing/in-memory-file-store';
import { FileLeftovers } from './file-leftovers';

describe('FileLeftovers', () => {
  it('removes what was begun more than an hour ago', async () => {
    const clock = new HandDrivenClock();
    const files = new InMemoryFileStore();
    const removeLeftovers = jest.spyOn(files, 'removeLeftovers');

    await new FileLeftovers(files, sharedBy(clock)).perform();

    expect(removeLeftovers.mock.calls).toEqual([[new Date(clock.now().getTime() - 3_600_000)]]);
  });

  it('removes the archives of packages that nothing has named for an hour, and says so', async () => {
    const clock = new HandDrivenClock();
    const files = new InMemoryFileStore();
    const purgeUnnamedArchives = jest.spyOn(files, 'purgeUnnamedArchives').mockResolvedValue(2);

    const told = await new FileLeftovers(files, sharedBy(clock)).perform();

    expect(purgeUnnamedArchives.mock.calls).toEqual([[new Date(clock.now().getTime() - 3_600_000)]]);
    expect(told).toBe(
      '0 files of deleted projects, 0 unfinished files and 2 archives that no package names were removed.',
    );
  });
});

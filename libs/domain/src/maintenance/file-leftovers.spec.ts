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
});

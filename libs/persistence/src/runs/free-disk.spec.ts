import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HandDrivenClock } from '@millrace/domain/testing';
import { FreeDiskAround } from './free-disk';

describe('FreeDiskAround', () => {
  let parent: string;
  beforeEach(() => (parent = mkdtempSync(join(tmpdir(), 'free-disk-'))));
  afterEach(() => rmSync(parent, { recursive: true }));

  it('knows the free space after the first measurement', async () => {
    const disk = new FreeDiskAround(parent, new HandDrivenClock(), jest.fn());

    await disk.firstMeasurement();

    expect(disk.bytes).toBeGreaterThan(0);
  });

  it('measures the nearest parent of a folder that is not made yet', async () => {
    const say = jest.fn();
    const disk = new FreeDiskAround(join(parent, 'not', 'yet'), new HandDrivenClock(), say);

    await disk.firstMeasurement();

    expect(disk.bytes).toBeGreaterThan(0);
    expect(say).not.toHaveBeenCalled();
  });

  it('says once that the space cannot be read, because the floor of the disk does not count meanwhile', async () => {
    const said: string[] = [];
    const clock = new HandDrivenClock();
    const notAFolder = join(parent, 'file');
    writeFileSync(notAFolder, '');
    const folder = join(notAFolder, 'data');
    const disk = new FreeDiskAround(folder, clock, (message) => said.push(message));
    const lookAgain = async (until: () => boolean): Promise<void> => {
      clock.advance(2_000);
      disk.keepUp();
      while (!until()) await new Promise(setImmediate);
    };

    await disk.firstMeasurement();
    expect(disk.bytes).toBeNull();
    expect(said).toEqual([`The free space of the disk of ${folder} cannot be read.`]);
    rmSync(notAFolder);
    mkdirSync(folder, { recursive: true });
    await lookAgain(() => disk.bytes !== null);

    expect(said.slice(1)).toEqual([`The free space of the disk of ${folder} can be read again.`]);
  });
});

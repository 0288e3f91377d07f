import { NO_PROJECT } from '../jobs/maintenance-jobs';
import { FIRST_JOB_SECONDS, INSTALLATION_SECONDS, MOST_INSTALLATION_ATTEMPTS } from '../pieces/piece-package';
import { HandDrivenClock } from '../testing/hand-driven-clock';
import { InMemoryMaintenanceQueue } from '../testing/in-memory-maintenance-queue';
import { InMemoryPiecePackages } from '../testing/in-memory-piece-packages';
import { PieceInstallationsDue } from './piece-installations-due';

const wanted = { name: '@acme/piece-shop', version: '1.0.0', integrity: null, archiveId: null };

async function setUp() {
  const clock = new HandDrivenClock();
  const packages = new InMemoryPiecePackages(clock);
  const queue = new InMemoryMaintenanceQueue();
  const installation = await packages.want(wanted);
  if (installation.status !== 'pending') throw new Error('The package is not pending.');
  return { clock, packages, queue, id: installation.id, duty: new PieceInstallationsDue(packages, queue) };
}

describe('PieceInstallationsDue', () => {
  it('enqueues an installation again, under a new epoch, when its job was lost', async () => {
    const { clock, queue, id, duty } = await setUp();
    await duty.perform();
    expect(queue.waiting()).toEqual([]);

    clock.advance(FIRST_JOB_SECONDS * 1_000);
    await duty.perform();
    await duty.perform();

    expect(queue.waiting()).toEqual([
      { kind: 'PieceInstallationJob', rowId: id, epoch: 2, data: { projectId: NO_PROJECT } },
    ]);
  });

  it('gives up an installation that several workers have not finished', async () => {
    const { clock, packages, queue, id, duty } = await setUp();
    for (let epoch = 1; epoch <= MOST_INSTALLATION_ATTEMPTS; epoch++) {
      await packages.claim(id, epoch);
      clock.advance(INSTALLATION_SECONDS * 1_000);
      await duty.perform();
    }

    expect(queue.waiting().map(({ epoch }) => epoch)).toEqual([2, 3]);
    expect(await packages.installation(id)).toMatchObject({ status: 'failed' });
  });
});

import { BacklogWatch, IntakeGate, ServiceUnavailableError, SystemClock } from '@millrace/domain';
import { InMemoryBacklog } from '@millrace/domain/testing';
import { Admission } from './admission';

const BOUNDS = { runs: 100, runsPerProject: 100, bytes: null, ageSeconds: null, minFreeDiskBytes: 500 };

function setUp(runs: number) {
  const clock = new SystemClock();
  const backlog = new InMemoryBacklog();
  backlog.published = {
    ...{ measuredAt: clock.now(), runs, held: 0, bytes: 0 },
    ...{ oldest: null, oldestAccepted: null, projects: new Map() },
  };
  const disk = { bytes: null as number | null, keepUp: () => undefined, firstMeasurement: () => Promise.resolve() };
  const watch = new BacklogWatch(backlog, clock, () => undefined);
  return { backlog, disk, gate: new IntakeGate(watch, disk, BOUNDS, clock) };
}

describe('Admission', () => {
  it('refuses the very first run when the backlog is at its bound', async () => {
    const admission = new Admission(setUp(100).gate);

    await expect(admission.admit('any')).rejects.toThrow(ServiceUnavailableError);
  });

  it('refuses the very first run when the disk is nearly full', async () => {
    const { gate, disk } = setUp(0);
    disk.firstMeasurement = async () => void (disk.bytes = 499);

    await expect(new Admission(gate).admit('any')).rejects.toThrow('The disk is nearly full');
  });

  it('says after its first look why a run is refused', async () => {
    const { gate, disk } = setUp(0);
    const admission = new Admission(gate);
    disk.firstMeasurement = async () => void (disk.bytes = 499);

    expect(await admission.refusal('any')).toBe('The disk is nearly full.');
    disk.bytes = 500;
    expect(await admission.refusal('any')).toBeNull();
  });

  it('lets a run wait for the first look only', async () => {
    const admission = new Admission(setUp(0).gate);

    await admission.admit('any');

    expect(admission.admit('any')).toBeUndefined();
  });

  it('admits runs when the first look takes too long', async () => {
    const { gate, backlog } = setUp(100);
    backlog.read = () => new Promise(() => undefined);
    const admission = new Admission(gate, 1);

    await expect(admission.admit('any')).resolves.toBeUndefined();
    expect(admission.admit('any')).toBeUndefined();
  });
});

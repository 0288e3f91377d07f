import { RateLimitedError } from '../errors/rate-limited.error';
import { ServiceUnavailableError } from '../errors/service-unavailable.error';
import { HandDrivenClock } from '../testing/hand-driven-clock';
import { InMemoryBacklog } from '../testing/in-memory-backlog';
import type { Say } from '../outage';
import { BacklogWatch } from './backlog-watch';
import { IntakeGate } from './intake-gate';

function setUp() {
  const clock = new HandDrivenClock();
  const backlog = new InMemoryBacklog();
  const watch = new BacklogWatch(backlog, clock, () => undefined);
  const disk = { bytes: 1_000 as number | null, keepUp: () => undefined, firstMeasurement: () => Promise.resolve() };
  const bounds = { runs: 100, runsPerProject: 40, bytes: null, ageSeconds: null, minFreeDiskBytes: 500 };
  const said: string[] = [];
  const say: Say = (message, cause) => said.push([message, cause].join(' ').trim());
  const gate = new IntakeGate(watch, disk, bounds, clock, say);
  async function counted(runs: number, projects: Record<string, number> = {}, held = 0): Promise<void> {
    clock.advance(1_000);
    const entries = Object.entries(projects).map(([id, of]) => [id, { runs: of, held, level: 1 }] as const);
    const none = { bytes: 0, oldest: null, oldestAccepted: null };
    backlog.published = { measuredAt: clock.now(), runs, held, ...none, projects: new Map(entries) };
    watch.keepUp();
    await new Promise(setImmediate);
  }
  return { clock, backlog, watch, disk, gate, counted, said };
}

describe('IntakeGate', () => {
  it('makes a project that has too much to begin wait, others not, and lets it in again when there is room', async () => {
    const { gate, counted } = setUp();

    await counted(40, { flood: 40 });
    expect(() => gate.admit('flood')).toThrow(expect.objectContaining({ retryAfterSeconds: 5, limit: 40 }));
    expect(() => gate.admit('quiet')).not.toThrow();
    await counted(39, { flood: 39 });
    expect(() => gate.admit('flood')).not.toThrow();
  });

  it('counts runs that are held too, because they take as much room', async () => {
    const { gate, counted } = setUp();

    await counted(10, { controlled: 10 }, 30);
    expect(() => gate.admit('controlled')).toThrow(RateLimitedError);
    expect(() => gate.admit('quiet')).not.toThrow();
    await counted(10, {}, 90);
    expect(() => gate.admit('quiet')).toThrow(ServiceUnavailableError);
  });

  it('makes all wait when there is too much to begin, and says for how long', async () => {
    const { gate, counted } = setUp();

    await counted(100);

    expect(() => gate.admit('quiet')).toThrow(ServiceUnavailableError);
    expect(() => gate.admit('quiet')).toThrow(expect.objectContaining({ retryAfterSeconds: 5 }));
  });

  it('says once that it refuses the runs of all projects, and why, and when it has refused none for a minute', () => {
    const { clock, disk, gate, said } = setUp();

    for (let second = 0; second < 120; second++) {
      disk.bytes = second % 2 === 0 ? 499 : 500;
      gate.refusal('p');
      clock.advance(1_000);
    }
    expect(said).toEqual(['Runs of all projects are refused. The disk is nearly full (SVC_INTAKE_MIN_FREE_DISK_MB).']);

    clock.advance(60_000);
    gate.refusal('p');
    gate.refusal('p');
    expect(said.slice(1)).toEqual(['Runs of all projects are accepted again.']);
  });

  it('says nothing of a project that has to wait', async () => {
    const { gate, counted, said } = setUp();

    await counted(40, { flood: 40 });
    expect(() => gate.admit('flood')).toThrow(RateLimitedError);

    expect(said).toEqual([]);
  });

  it('counts what was accepted here since the last count', () => {
    const { gate, watch } = setUp();

    watch.add('flood', 40);

    expect(() => gate.admit('flood')).toThrow(RateLimitedError);
  });

  it('knows after its first look what was counted before it began', async () => {
    const { clock, backlog, gate } = setUp();
    const none = { held: 0, bytes: 0, oldest: null, oldestAccepted: null, projects: new Map() };
    backlog.published = { measuredAt: clock.now(), runs: 100, ...none };

    await gate.lookFirst();

    expect(() => gate.admit('any')).toThrow('Too many runs wait to begin');
  });

  it('waits for the first measurement of the disk', async () => {
    const { disk, gate } = setUp();
    disk.firstMeasurement = async () => void (disk.bytes = 499);

    await gate.lookFirst();

    expect(() => gate.admit('any')).toThrow('The disk is nearly full');
  });

  it('makes all wait while the disk is nearly full', () => {
    const { gate, disk } = setUp();

    disk.bytes = 499;
    expect(() => gate.admit('any')).toThrow('The disk is nearly full');
    disk.bytes = 500;
    expect(() => gate.admit('any')).not.toThrow();
  });

  it('neither refuses for ever nor accepts without end when nobody leads: it counts itself', async () => {
    const { clock, backlog, watch, gate, counted } = setUp();
    await counted(100);
    const refuses = async (): Promise<boolean> => {
      clock.advance(1_000);
      watch.keepUp();
      await new Promise(setImmediate);
      try {
        gate.admit('any');
        return false;
      } catch {
        return true;
      }
    };
    backlog.projects = Array.from({ length: 150 }, (_, n) => `project_${n}`);

    clock.advance(61_000);
    await refuses();
    expect(await refuses()).toBe(true);
    backlog.projects = [];
    clock.advance(61_000);
    await refuses();
    for (let minute = 0; minute < 5; minute++) {
      expect(await refuses()).toBe(false);
      clock.advance(60_000);
    }
  });
});

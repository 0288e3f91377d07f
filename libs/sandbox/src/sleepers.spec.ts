import type { Isolate } from './isolate';
import { SleepLedger, Sleepers, firstToEvict, type Sleeper } from './sleepers';

const MB = 1024 * 1024;

const aSleeper = (slot: number, tenant: string, megabytes: number): Sleeper => ({
  isolate: {} as Isolate,
  slot,
  tenant,
  bytes: megabytes * MB,
});

const slotsOf = (sleepers: Sleeper[]) => sleepers.map(({ slot }) => slot);

describe('Sleepers', () => {
  const twoThreads = (mostMb: number) => {
    const ledger = new SleepLedger(new Int32Array(2));
    return [new Sleepers(ledger, 0, mostMb * MB), new Sleepers(ledger, 1, mostMb * MB)] as const;
  };

  it('counts what the sleepers of all threads keep', () => {
    const [here, there] = twoThreads(100);
    there.add(aSleeper(0, 'a', 60));
    here.add(aSleeper(0, 'a', 30));
    expect(here.takeExcess(() => true)).toEqual([]);

    here.add(aSleeper(1, 'a', 30));
    expect(slotsOf(here.takeExcess(() => true))).toEqual([0]);
    expect(here.take(0)).toBeUndefined();
  });

  it('lets a step keep what it has when another one goes on', () => {
    const [here] = twoThreads(100);
    here.add(aSleeper(0, 'a', 60));
    here.take(0);
    here.add(aSleeper(1, 'a', 60));

    expect(here.takeExcess(() => true)).toEqual([]);
  });

  it('leaves a step that goes on at this moment', () => {
    const [here] = twoThreads(100);
    for (const slot of [0, 1, 2]) here.add(aSleeper(slot, 'a', 60 - slot));

    expect(slotsOf(here.takeExcess(({ slot }) => slot !== 0))).toEqual([1, 2]);
  });

  it('bounds their number, since each keeps a slot', () => {
    const [here] = twoThreads(1_000);
    for (let slot = 0; slot < 40; slot++) here.add(aSleeper(slot, 'a', 1));

    expect(here.takeExcess(() => true)).toHaveLength(8);
  });

  it('takes the largest of the tenant that keeps most', () => {
    const sleepers = [
      aSleeper(0, 'one', 50),
      aSleeper(1, 'many', 20),
      aSleeper(2, 'many', 30),
      aSleeper(3, 'many', 25),
    ];

    expect(firstToEvict(sleepers).slot).toBe(2);
  });
});

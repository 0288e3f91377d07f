import { ExecutionSlot } from '../runs/execution-slot';
import { hookInTime } from './hook-in-time';
import { TriggerHooks, type TriggerHookCall, type TriggerHookResult } from './trigger-hooks';

const DONE: TriggerHookResult = { kind: 'done', value: null, effects: { writes: [] } };
const TIMED_OUT: TriggerHookResult = { kind: 'failed', message: 'The trigger did not answer within 20 s.' };

class Slot extends ExecutionSlot {
  readonly told: string[] = [];
  override leave = () => void this.told.push('left');
  override comeBack = () => void this.told.push('came back');
}

/** A hook that waits for its turn for so long, and then takes so long in another process. */
class Elsewhere extends TriggerHooks {
  constructor(
    private readonly waitsMs: number,
    private readonly takesMs: number,
  ) {
    super();
  }

  override async call({ slot }: TriggerHookCall, _pending: unknown, signal: AbortSignal): Promise<TriggerHookResult> {
    const passes = (ms: number) =>
      new Promise<void>((done, failed) => {
        setTimeout(done, ms);
        signal.addEventListener('abort', () => failed(signal.reason as Error));
      });
    const work = async (begun: () => void): Promise<void> => {
      await passes(this.waitsMs);
      begun();
      await passes(this.takesMs);
    };
    await (slot ? slot.whileElsewhere(work) : work(() => undefined));
    return DONE;
  }
}

describe('the time of a hook', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  const after = async (hooks: TriggerHooks, call: Partial<TriggerHookCall>, ms: number): Promise<TriggerHookResult> => {
    const { signal } = new AbortController();
    const result = hookInTime(hooks, { hook: 'run', ...call } as TriggerHookCall, { signal });
    await jest.advanceTimersByTimeAsync(ms);
    return result;
  };

  it('begins for a run when its turn has come, however long it has waited', async () => {
    const slot = new Slot();

    expect(await after(new Elsewhere(60_000, 19_000), { slot }, 80_000)).toEqual(DONE);
    expect(slot.told).toEqual(['left', 'came back']);
  });

  it('ends for a run that takes longer', async () => {
    expect(await after(new Elsewhere(60_000, 21_000), { slot: new Slot() }, 80_000)).toEqual(TIMED_OUT);
  });

  it('counts the wait of a hook that nobody runs for', async () => {
    expect(await after(new Elsewhere(15_000, 6_000), {}, 20_000)).toEqual(TIMED_OUT);
  });
});

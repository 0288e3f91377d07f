import type { FoundItem } from '@millrace/domain';
import type { HookContext } from '../framework/hooks';
import type { PollContext } from '../framework/piece';
import { BufferedStore } from '../host/buffered-store';

const MOST_SAMPLES = 5;

/** Makes the hook `test` of a trigger that polls: the newest items that are there now, the newest first. */
export const sampleItems =
  <Input>(poll: (context: PollContext<Input>) => Promise<readonly FoundItem[]>) =>
  async (context: HookContext<Input>): Promise<unknown[]> => {
    // With an empty store the whole answer is asked for. What the poll puts into it is dropped.
    const items = await poll({ ...context, store: new BufferedStore({}), flowStore: context.store });
    return items
      .slice(-MOST_SAMPLES)
      .reverse()
      .map(({ value }) => value);
  };

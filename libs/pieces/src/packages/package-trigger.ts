import { isJsonObject, scheduleProblems, type AskedSchedule, type FoundItem } from '@millrace/domain';
import type { HookContext } from '../framework/hooks';
import { ActionFailure, type PollContext, type TriggerDefinition, type TriggerStore } from '../framework/piece';
import { BufferedStore } from '../host/buffered-store';
import type { PackageCalls, PackageServices } from './package-calls';
import {
  callHook,
  itemsIn,
  type HookAnswer,
  type HookSurroundings,
  type ItemBound,
  type PackageTriggerOf,
} from './package-hook';
import { MOST_ITEMS } from '../polling/poll-request';

type Input = Readonly<Record<string, unknown>>;

const MOST_SAMPLES = 5;
/** A poll that fails leaves the store as it was, so the next one finds even more, unless its author helps. */
const OF_POLL: ItemBound = {
  most: MOST_ITEMS,
  tooMany:
    `The trigger found more than ${MOST_ITEMS.toLocaleString('en')} items at once. ` +
    'Change its inputs so that it finds fewer: it then starts runs for what is new from that moment.',
};
/** Notes in the store of a source that the package has prepared to poll it. */
const PREPARED = 'millrace:prepared';
/** The member by which packages say which items are equal. */
const KEY_OF_ITEM = '_dedupe_key';

/**
 * The code of a trigger that polls and that a package has. The first poll of a source has the package prepare itself, in
 * the store whose changes are written together with the runs of a poll, and finds nothing.
 */
export function packageTrigger(
  trigger: PackageTriggerOf,
  calls: PackageCalls,
): Pick<TriggerDefinition, 'resultType' | 'plan' | 'poll' | 'onEnable' | 'onDisable' | 'test'> {
  const call = (
    hook: 'onEnable' | 'onDisable' | 'run' | 'test',
    context: PollContext<Input> | HookContext<Input, unknown>,
    store: TriggerStore,
  ): Promise<HookAnswer> =>
    context.elsewhere((begun) =>
      callHook(trigger, calls, { hook, context: surroundings(context), services: storeServices(store), begun }),
    );
  return {
    resultType: 'POLLING',
    plan: () => ({ poll: { everyMinutes: null } }),
    poll: async (context) => {
      const { store } = context;
      const isPrepared = store.get(PREPARED) === true;
      const answer = await call(isPrepared ? 'run' : 'onEnable', context, store);
      store.put(PREPARED, true);
      if (answer.schedule !== undefined) context.setSchedule(askedSchedule(answer.schedule));
      return isPrepared ? itemsIn(answer, OF_POLL).map(foundItem) : [];
    },
    // What it writes is dropped: the first poll prepares anew. It is called to learn whether it fails.
    onEnable: async (context) => void (await call('onEnable', context, new BufferedStore({}))),
    onDisable: async (context) => void (await call('onDisable', context, new BufferedStore({}))),
    test: async (context) => itemsIn(await call('test', context, new BufferedStore({}))).slice(0, MOST_SAMPLES),
  };
}

/** Throws ActionFailure for a schedule that cannot be. */
function askedSchedule(said: unknown): AskedSchedule {
  const { intervalMs, cronExpression: cron, timezone } = isJsonObject(said) ? said : {};
  if (typeof intervalMs === 'number' && intervalMs > 0) return { intervalMs };
  if (typeof cron !== 'string' || typeof timezone !== 'string')
    throw new ActionFailure('The trigger has asked for a schedule without an interval or a cron expression.');
  const [problem] = scheduleProblems({ cron, timezone });
  if (problem) throw new ActionFailure(`The trigger has asked for a schedule that cannot be. ${problem}`);
  return { cron, timezone };
}

const surroundings = (context: PollContext<Input> | HookContext<Input, unknown>): HookSurroundings => {
  const { input, auth, flow, connection, signal } = context;
  return { input, auth, flow, connection, signal, ...('webhookUrl' in context && { webhookUrl: context.webhookUrl }) };
};

/** The store of the trigger, in which what the package writes for the project has names of its own. */
function storeServices(store: TriggerStore): PackageServices {
  const at = (key: unknown, isOfProject: unknown): string =>
    isOfProject === true ? `project ${String(key)}` : String(key);
  return {
    'store.get': (key, isOfProject) => Promise.resolve(store.get(at(key, isOfProject))),
    'store.put': (key, isOfProject, value) => Promise.resolve(store.put(at(key, isOfProject), value)),
    'store.delete': (key, isOfProject) => Promise.resolve(store.delete(at(key, isOfProject))),
  };
}

function foundItem(value: unknown): FoundItem {
  const key = isJsonObject(value) ? value[KEY_OF_ITEM] : undefined;
  return typeof key === 'string' || typeof key === 'number' ? { name: String(key), value } : { value };
}

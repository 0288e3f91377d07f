import { isJsonObject, scheduleProblems, type AskedSchedule, type FoundItem } from '@millrace/domain';
import type { HookContext } from '../framework/hooks';
import { ActionFailure, type PollContext, type TriggerDefinition } from '../framework/piece';
import { OversizedAnswer, type PackageCalls, type PackageServices } from './package-calls';
import {
  callHook,
  itemsIn,
  storeServices,
  type HookAnswer,
  type HookSurroundings,
  type ItemBound,
  type PackageTriggerOf,
} from './package-hook';
import { MOST_ITEMS } from '../polling/poll-request';

type Input = Readonly<Record<string, unknown>>;
type Poll = PollContext<Input>;
type Hook = HookContext<Input, unknown>;

const MOST_SAMPLES = 5;
/** A poll that fails leaves the store as it was, so the next one finds even more, unless its author helps. */
const HELP = 'Change its inputs so that it finds fewer: it then starts runs for what is new from that moment.';
const OF_POLL: ItemBound = {
  most: MOST_ITEMS,
  tooMany: `The trigger found more than ${MOST_ITEMS.toLocaleString('en')} items at once. ${HELP}`,
};
/** Notes in the memory of a source that the package has prepared to poll it. */
const PREPARED = 'millrace:prepared';
/** The key of the flow's store at which `onEnable` leaves word for the first poll that it was called. */
const ENABLED = 'millrace:enabled';
/** The member by which packages say which items are equal. */
const KEY_OF_ITEM = '_dedupe_key';

/**
 * The code of a trigger that polls and that a package has. The package prepares itself when its flow is enabled. So the
 * first poll of a source finds nothing, and the next one what is new since then. What the package changes in the store is
 * written together with the enabling, or with the runs of the poll.
 */
export function packageTrigger(
  trigger: PackageTriggerOf,
  calls: PackageCalls,
): Pick<TriggerDefinition, 'resultType' | 'plan' | 'poll' | 'onEnable' | 'onDisable' | 'test'> {
  const call = (
    hook: 'onEnable' | 'onDisable' | 'run' | 'test',
    context: Poll | Hook,
    services: PackageServices,
  ): Promise<HookAnswer> => callHook(trigger, calls, { hook, context: surroundings(context), services });
  const callOfPoll = (hook: 'onEnable' | 'run', context: Poll) =>
    call(hook, context, polledStore(context)).catch(rethrowWithHelp);
  const callOfHook = (hook: 'onEnable' | 'onDisable' | 'test', context: Hook) =>
    call(hook, context, storeServices(context.store));
  return {
    resultType: 'POLLING',
    plan: () => ({ poll: { everyMinutes: null } }),
    poll: async (context) => {
      const { store } = context;
      const enabled = await takeWord(context);
      const isPrepared = store.get(PREPARED) === true;
      store.put(PREPARED, true);
      const isNew = enabled !== null && !isPrepared;
      const answer = isNew ? NOTHING : await callOfPoll(isPrepared ? 'run' : 'onEnable', context);
      const schedule = answer.schedule ?? enabled?.schedule;
      if (schedule !== undefined) context.setSchedule(askedSchedule(schedule));
      return isPrepared ? itemsIn(answer, OF_POLL).map(foundItem) : [];
    },
    onEnable: async (context) => {
      const { schedule } = await callOfHook('onEnable', context);
      if (schedule !== undefined) askedSchedule(schedule);
      await context.store.put(ENABLED, { schedule });
    },
    onDisable: async (context) => void (await callOfHook('onDisable', context)),
    test: async (context) => itemsIn(await callOfHook('test', context)).slice(0, MOST_SAMPLES),
  };
}

function rethrowWithHelp(error: unknown): never {
  if (!(error instanceof OversizedAnswer)) throw error;
  throw new ActionFailure(`The trigger found too much at once. ${error.message} ${HELP}`);
}

const NOTHING: HookAnswer = { result: [], listeners: [], schedule: undefined };

/** Takes the word that `onEnable` has left, with the schedule for which it asked. Null when it left none. */
async function takeWord({ flowStore }: Poll): Promise<{ schedule?: unknown } | null> {
  const word = await flowStore.get(ENABLED);
  if (!isJsonObject(word)) return null;
  await flowStore.delete(ENABLED);
  return word;
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

const surroundings = (context: Poll | Hook): HookSurroundings => {
  const { input, auth, flow, connection, signal, files, elsewhere } = context;
  const common = { input, auth, flow, connection, signal, files, elsewhere };
  return { ...common, ...('webhookUrl' in context && { webhookUrl: context.webhookUrl }) };
};

/**
 * The store of the flow, or that of its project. What is not there is looked for in the memory of the poll, in which
 * packages once stored everything, and which keeps it until the package changes it.
 */
function polledStore({ flowStore, store: memory }: Poll): PackageServices {
  const services = storeServices(flowStore);
  const remembered = (key: unknown, isOfProject: unknown): string =>
    isOfProject === true ? `project ${String(key)}` : String(key);
  const forgetting =
    (change: PackageServices[string] | undefined): PackageServices[string] =>
    async (key, isOfProject, value) => {
      await change?.(key, isOfProject, value);
      memory.delete(remembered(key, isOfProject));
    };
  return {
    'store.get': async (key, isOfProject) =>
      (await services['store.get']?.(key, isOfProject)) ?? memory.get(remembered(key, isOfProject)),
    'store.put': forgetting(services['store.put']),
    'store.delete': forgetting(services['store.delete']),
  };
}

function foundItem(value: unknown): FoundItem {
  const key = isJsonObject(value) ? value[KEY_OF_ITEM] : undefined;
  return typeof key === 'string' || typeof key === 'number' ? { name: String(key), value } : { value };
}

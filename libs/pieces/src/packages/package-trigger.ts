import { isJsonObject, type FoundItem, type PieceRef } from '@millrace/domain';
import type { HookContext } from '../framework/hooks';
import { ActionFailure, type PollContext, type TriggerDefinition, type TriggerStore } from '../framework/piece';
import { BufferedStore } from '../host/buffered-store';
import type { PackageAuth } from './package-auth';
import type { PackageCalls, PackageServices } from './package-calls';

export interface PackageTriggerOf {
  readonly piece: PieceRef;
  readonly trigger: string;
  /** The connection that the trigger takes. Null when it takes none. */
  readonly connection: PackageAuth | null;
}

type Hook = 'onEnable' | 'onDisable' | 'run' | 'test';
type Input = Readonly<Record<string, unknown>>;

interface CallOfHook {
  readonly hook: Hook;
  readonly input: Input;
  readonly auth: unknown;
  readonly flow: { readonly id: string; readonly projectId: string; readonly versionId?: string };
  readonly store: TriggerStore;
  readonly signal: AbortSignal;
  readonly webhookUrl?: string;
}

const MOST_SAMPLES = 5;
const MOST_ITEMS = 1_000;
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
  const call = (wanted: CallOfHook): Promise<unknown> => callHook(trigger, calls, wanted);
  return {
    resultType: 'POLLING',
    plan: () => ({ poll: { everyMinutes: null } }),
    poll: async (context) => {
      const { store } = context;
      const isPrepared = store.get(PREPARED) === true;
      const items = await call({ ...asked(context), hook: isPrepared ? 'run' : 'onEnable', store });
      store.put(PREPARED, true);
      return isPrepared ? itemsIn(items).map(foundItem) : [];
    },
    // What it writes is dropped: the first poll prepares anew. It is called to learn whether it fails.
    onEnable: async (context) =>
      void (await call({ ...asked(context), hook: 'onEnable', store: new BufferedStore({}) })),
    onDisable: async (context) =>
      void (await call({ ...asked(context), hook: 'onDisable', store: new BufferedStore({}) })),
    test: async (context) =>
      itemsIn(await call({ ...asked(context), hook: 'test', store: new BufferedStore({}) })).slice(0, MOST_SAMPLES),
  };
}

const asked = (context: PollContext<Input> | HookContext<Input, unknown>) => {
  const { input, auth, flow, signal } = context;
  return { input, auth, flow, signal, ...('webhookUrl' in context && { webhookUrl: context.webhookUrl }) };
};

async function callHook(
  { piece, trigger, connection }: PackageTriggerOf,
  calls: PackageCalls,
  { hook, input, auth, flow, store, signal, webhookUrl = '' }: CallOfHook,
): Promise<unknown> {
  const request = {
    kind: 'trigger',
    trigger,
    hook,
    projectId: flow.projectId,
    flowId: flow.id,
    ...(flow.versionId !== undefined && { flowVersionId: flow.versionId }),
    stepName: 'trigger',
    webhookUrl,
    input,
    ...(connection && { auth: connection.valueOf(auth) }),
  };
  const services = storeServices(store);
  const answer = await calls.call({ piece, projectId: flow.projectId, request, services, signal });
  if ('failure' in answer) throw new ActionFailure(answer.failure);
  return isJsonObject(answer.value) ? answer.value['result'] : null;
}

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

function itemsIn(result: unknown): unknown[] {
  if (!Array.isArray(result)) throw new ActionFailure('The trigger did not give a list of items.');
  if (result.length > MOST_ITEMS) throw new ActionFailure(`The trigger gave more than ${MOST_ITEMS} items.`);
  return result as unknown[];
}

function foundItem(value: unknown): FoundItem {
  const key = isJsonObject(value) ? value[KEY_OF_ITEM] : undefined;
  return typeof key === 'string' || typeof key === 'number' ? { name: String(key), value } : { value };
}

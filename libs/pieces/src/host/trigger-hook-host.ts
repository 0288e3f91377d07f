import {
  HiddenValues,
  ReferringTexts,
  ServiceUnavailableError,
  shownText,
  storableJson,
  TriggerHooks,
  type AppListener,
  type AskedSchedule,
  type Clock,
  type OutboundHttp,
  type PendingWrites,
  type StoredText,
  type StoreEntries,
  type TriggerHook,
  type TriggerHookCall,
  type TriggerHookResult,
} from '@millrace/domain';
import { coerceAuth } from '../framework/auth';
import type { HookContext, Hooks } from '../framework/hooks';
import { ActionFailure, type TriggerDefinition } from '../framework/piece';
import { coerceAll } from './coerce-all';
import {
  assertSecretsKnown,
  connectionReader,
  readGivenInput,
  type KnownValues,
  type NamedValues,
} from './given-input';
import { BufferedHookStore } from './hook-store';
import { messageOf, unlessAborted } from './piece-calls';
import { ProjectHttp, type TriggerSource } from './poll-host';
import { FilesOfTriggerCall, type TriggerFiles } from './trigger-files';

// Calls the hooks of the triggers of built-in pieces.
//
// K1. A failing hook gives a value. The call rejects only after an abort of the signal, and when one of our own services
//     is out of reach.
// K2. A hook is called only with an input that fits its props; but `onDisable` is called with any input, because a flow
//     can always be disabled.
// K3. A message never contains the value of a connection, or a secret of the trigger.

export interface TriggerHookServices extends NamedValues, TriggerFiles {
  http: OutboundHttp;
  clock: Clock;
  store: Pick<StoreEntries, 'get'>;
  /** The base URL of the service as callers see it. */
  publicUrl: string;
}

const LONGEST_MESSAGE = 1_000;
const MEGABYTE = 1024 * 1024;
/** The items of a request may be as large as the output of a step. */
const MOST_MEGABYTES_OF_RUN = 10;
/** The hooks whose result is a list of items. */
const LISTING: ReadonlySet<TriggerHook> = new Set(['run', 'test']);

type Input = Readonly<Record<string, unknown>>;
type AnyContext = HookContext<Input, unknown>;

export class TriggerHookHost extends TriggerHooks {
  constructor(
    private readonly pieces: TriggerSource,
    private readonly services: TriggerHookServices,
  ) {
    super();
  }

  override async call(call: TriggerHookCall, pending: PendingWrites, signal: AbortSignal): Promise<TriggerHookResult> {
    const { projectId } = call.live;
    const known: KnownValues = {
      hidden: new HiddenValues(),
      texts: new ReferringTexts((externalIds) => this.services.connections(projectId, externalIds)),
    };
    try {
      return await unlessAborted(signal, () => this.execute(call, pending, signal, known));
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof ServiceUnavailableError) throw error; // our own service failed, not the trigger
      return { kind: 'failed', message: known.hidden.mask(messageOf(error)).slice(0, LONGEST_MESSAGE) };
    }
  }

  private async execute(
    call: TriggerHookCall,
    pending: PendingWrites,
    signal: AbortSignal,
    known: KnownValues,
  ): Promise<TriggerHookResult> {
    const { hook, live } = call;
    const { definition, trigger } = await this.find(call);
    const given = await readGivenInput(this.services, definition, { ...live, trigger }, known);
    if (hook !== 'onDisable') assertSecretsKnown(definition, given);
    const http = new ProjectHttp(this.services.http, live.projectId, signal);
    const inputs = { given, written: trigger.settings.input };
    const { input, auth } = await readInput(definition, inputs, { hook, http, signal });

    const { texts } = known;
    const flow = { id: live.flowId, projectId: live.projectId };
    const store = new BufferedHookStore(this.services.store, flow, pending, texts);
    const asked = new AskedOfHost();
    const files = new FilesOfTriggerCall({ flow, http, signal }, this.services.files, this.services.newId());
    const read = { input, auth, connection: connectionReader(known) };
    const means = { store, files, signal, http, ...asked.actions };
    const context: AnyContext = { ...this.contextOf(call), ...read, ...means };
    return files.during(async () => {
      const value = (await callHook(definition, hook, context)) ?? null;
      assertResult(hook, value);
      const items = hook === 'run' ? { items: storedItems(value as unknown[], texts) } : {};
      const shown = hook === 'test' ? (JSON.parse(shownText(texts.hide(JSON.stringify(value)))) as unknown) : value;
      await files.deleteUnless([JSON.stringify([value, store.writes])]);
      return { kind: 'done', value: shown, effects: { writes: store.writes, ...asked.effects }, ...items };
    });
  }

  private async find({ hook, live: { trigger } }: TriggerHookCall) {
    if (trigger.type !== 'PIECE_TRIGGER') throw new ActionFailure('The flow has no trigger.');
    const { pieceName, pieceVersion, triggerName } = trigger.settings;
    await this.pieces.know([{ name: pieceName, version: pieceVersion }]);
    const found = this.pieces.triggerOf(pieceName, triggerName, pieceVersion)?.trigger;
    if (!found?.[hook]) throw new ActionFailure(`The piece ${pieceName} has no trigger ${triggerName} with ${hook}.`);
    return { definition: found, trigger };
  }

  private contextOf({ live, isRepublish = false, payload, slot }: TriggerHookCall) {
    const { flowId, projectId, flowVersionId } = live;
    const elsewhere: AnyContext['elsewhere'] = (work) => (slot ? slot.whileElsewhere(work) : work(() => undefined));
    return {
      elsewhere,
      flow: { id: flowId, projectId, versionId: flowVersionId },
      webhookUrl: `${this.services.publicUrl}/api/v1/webhooks/${flowId}`,
      isRepublish,
      payload: payload ?? null,
      now: () => this.services.clock.now(),
    };
  }
}

/** What a hook has asked for besides changes of its store. */
class AskedOfHost {
  private schedule: AskedSchedule | undefined;
  private readonly listeners: AppListener[] = [];

  readonly actions: Pick<AnyContext, 'setSchedule' | 'createListeners'> = {
    setSchedule: (schedule) => void (this.schedule = schedule),
    createListeners: (listener) => void this.listeners.push(listener),
  };

  get effects(): { schedule?: AskedSchedule; listeners?: readonly AppListener[] } {
    return {
      ...(this.schedule && { schedule: this.schedule }),
      ...(this.listeners.length > 0 && { listeners: this.listeners }),
    };
  }
}

async function readInput(
  definition: TriggerDefinition,
  { given, written }: { given: Input; written: Input },
  { hook, http, signal }: { hook: TriggerHook; http: OutboundHttp; signal: AbortSignal },
): Promise<{ input: Input; auth: unknown }> {
  const isLenient = hook === 'onDisable';
  const connection = coerceAuth(definition.auth ?? { kind: 'none' }, given['auth'], written['auth']);
  if ('problems' in connection && !isLenient) throw new ActionFailure(connection.problems.join(' '));
  const auth = 'problems' in connection ? given['auth'] : connection.auth;
  const coerced = await coerceAll(definition, { given, written }, { auth, http, signal });
  if ('problems' in coerced && !isLenient) throw new ActionFailure(coerced.problems.join(' '));
  return { input: 'problems' in coerced ? given : coerced.input, auth };
}

/** The name of the hook is also that of the member, which keeps its `this`. */
async function callHook(definition: Hooks<Input, unknown>, hook: TriggerHook, context: AnyContext): Promise<unknown> {
  return definition[hook]?.(context);
}

function assertResult(hook: TriggerHook, value: unknown): void {
  if (LISTING.has(hook) && !Array.isArray(value)) throw new ActionFailure('The trigger did not give a list of items.');
  const mostMegabytes = hook === 'run' ? MOST_MEGABYTES_OF_RUN : 1;
  if ((JSON.stringify(value) ?? '').length > mostMegabytes * MEGABYTE)
    throw new ActionFailure(`The trigger gave more than ${mostMegabytes} MB of items.`);
}

const storedItems = (items: readonly unknown[], texts: ReferringTexts): StoredText[] =>
  items.map((item) => texts.hide(storableJson(JSON.stringify(item ?? null))));

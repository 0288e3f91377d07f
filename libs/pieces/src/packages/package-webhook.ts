import { isJsonObject, type AppListener } from '@millrace/domain';
import type { HandshakeAnswer, HookContext } from '../framework/hooks';
import { ActionFailure, type TriggerDefinition } from '../framework/piece';
import type { PackageCalls } from './package-calls';
import {
  callHook,
  itemsIn,
  storeServices,
  type HookAnswer,
  type ItemBound,
  type PackageTriggerOf,
} from './package-hook';
import type { PublishedTrigger } from './published-piece';

type Context = HookContext<Readonly<Record<string, unknown>>, unknown>;
/** Their runs are inserted by one transaction. */
const OF_REQUEST: ItemBound = {
  most: 1_000,
  tooMany: 'The trigger made more than 1,000 items of one request. Have the other service send fewer at once.',
};

type Hook = 'onEnable' | 'onDisable' | 'onRenew' | 'run' | 'test' | 'onHandshake';

/**
 * The code of a trigger of a package that another service calls at the URL of its flow, where the package registers it.
 * What the package changes in the store is written together with what its hook was called for.
 */
export function packageWebhook(
  trigger: PackageTriggerOf,
  { renewal, handshake }: PublishedTrigger,
  calls: PackageCalls,
): Omit<TriggerDefinition, 'displayName' | 'description' | 'props' | 'auth'> {
  const call = (hook: Hook, context: Context): Promise<HookAnswer> =>
    callHook(trigger, calls, { hook, context, services: storeServices(context.store) });
  return {
    resultType: 'WEBHOOK',
    onEnable: async (context) => void (await call('onEnable', context)),
    onDisable: async (context) => void (await call('onDisable', context)),
    run: async (context) => itemsIn(await call('run', context), OF_REQUEST),
    test: async (context) => itemsIn(await call('test', context)),
    ...(renewal && {
      renewal,
      onRenew: async (context) => void (await call('onRenew', context)),
    }),
    ...(handshake && {
      handshake,
      onHandshake: async (context) => handshakeAnswer(await call('onHandshake', context)),
    }),
  };
}

/**
 * The code of a trigger that an app calls at one URL for all its users. Its `onEnable` says to which events of whom the
 * flow listens, and `run` makes the items of an event.
 */
export function packageAppTrigger(
  trigger: PackageTriggerOf,
  published: PublishedTrigger,
  calls: PackageCalls,
): Omit<TriggerDefinition, 'displayName' | 'description' | 'props' | 'auth'> {
  const {
    onHandshake: _none,
    handshake: _url,
    onEnable: _others,
    ...hooks
  } = packageWebhook(trigger, published, calls);
  const { piece, connection } = trigger;
  return {
    ...hooks,
    resultType: 'APP_WEBHOOK',
    // W1. A package tells by its connection whose events they are. So nothing of that may be made up by an author, who
    //     would hear the events of others: neither in place of the connection, nor in place of what the provider said.
    ...(connection && { problems: ({ auth }) => (isConnection(auth) ? [] : [NO_CONNECTION]) }),
    onEnable: async (context) => {
      const value = connection?.valueOf(context.auth);
      if (value?.type === 'OAUTH2' && value['signed_in_to'] !== piece.name) throw new ActionFailure(NOT_SIGNED_IN);
      const { listeners } = await callHook(trigger, calls, {
        hook: 'onEnable',
        context,
        services: storeServices(context.store),
      });
      if (listeners.length === 0) throw new ActionFailure('The trigger listens to no event of its app.');
      if (listeners.length > MOST_LISTENERS)
        throw new ActionFailure(`The trigger listens to more than ${MOST_LISTENERS} of its app.`);
      for (const listener of listeners) context.createListeners(appListener(listener));
    },
  };
}

const NO_CONNECTION = "The input auth must be one connection, such as {{ connections['name'] }}, and nothing else.";
const NOT_SIGNED_IN =
  'The connection must be made by signing in to the provider of the piece, so that it is certain whose events the flow hears.';

const isConnection = (written: unknown): boolean =>
  typeof written !== 'string'
    ? written === undefined || written === null
    : written === '' || ONE_CONNECTION.test(written);
const ONE_CONNECTION = /^\s*\{\{\s*connections(?:\.\w+|\[\s*(?:'[^'\\{}]*'|"[^"\\{}]*")\s*\])\s*\}\}\s*$/;

const MOST_LISTENERS = 100;
const MOST_EVENTS = 100;
/** A row of the index by which listeners are found has at most 2,700 bytes. */
const MOST_BYTES = 500;

function appListener(given: unknown): AppListener {
  const { events, identifierValue } = isJsonObject(given) ? given : {};
  const names = Array.isArray(events) ? events.slice(0, MOST_EVENTS).map(String) : [];
  const identifier = typeof identifierValue === 'number' ? String(identifierValue) : identifierValue;
  if (names.length === 0 || typeof identifier !== 'string' || identifier === '')
    throw new ActionFailure('The trigger does not say to which events of whom the flow listens.');
  if ([identifier, ...names].some((text) => Buffer.byteLength(text) > MOST_BYTES))
    throw new ActionFailure(`An event, and the identifier of whose it is, has at most ${MOST_BYTES} bytes.`);
  return { events: names, identifierValue: identifier };
}

function handshakeAnswer({ result }: HookAnswer): HandshakeAnswer {
  const { status, headers = {}, body = null } = isJsonObject(result) ? result : {};
  if (typeof status !== 'number' || !Number.isInteger(status) || status < 200 || status > 599)
    throw new ActionFailure('The trigger did not answer the handshake with a status.');
  const named = Object.entries(isJsonObject(headers) ? headers : {}).map(([name, value]) => [name, String(value)]);
  return { status, headers: Object.fromEntries(named) as Record<string, string>, body };
}

import { actionContext } from './action-context';
import { authFor, type AuthValue, type ContextVersion } from './context-version';
import { commonContext, propsValueOf } from './call-context';
import { placeFiles } from './call-files';
import type { LoadedPiece, PieceFunction, PublishedPiece, PublishedProp, PublishedTrigger } from './piece-module';
import type {
  ActionRequest,
  Ask,
  EventRequest,
  OptionsRequest,
  PieceRequest,
  TriggerRequest,
  ValidateRequest,
} from './requests';
import { triggerContext } from './trigger-context';

/** Answers a request with the loaded piece. Rejects with what the package throws. */
export function runRequest(loaded: LoadedPiece | null, request: PieceRequest, ask: Ask): Promise<unknown> {
  if (!loaded) throw new Error('The host has loaded no package.');
  switch (request.kind) {
    case 'describe':
      return Promise.resolve(description(loaded));
    case 'action':
      return runAction(loaded, request, ask);
    case 'trigger':
      return runHook(loaded, request, ask);
    case 'options':
      return optionsOf(loaded, request, ask);
    case 'validate':
      return validate(loaded.piece, request);
    case 'parseEvent':
    case 'verifyEvent':
      return eventOf(loaded.piece, request);
  }
}

/** What the piece says of itself, and what is lost of that on the way out of the process: which functions it has. */
const description = ({ piece, version: contextVersion }: LoadedPiece): unknown => {
  const checkedAuths = authsOf(piece).flatMap(({ type, validate: check }) => (check ? [type] : []));
  return { ...(piece.metadata() as object), contextVersion, checkedAuths };
};

async function runAction({ piece, version }: LoadedPiece, request: ActionRequest, ask: Ask): Promise<unknown> {
  const action = piece.getAction(request.action);
  if (!action) throw new Error(`The piece has no action ${request.action}.`);
  await placeFiles(request.input, request.files ?? [], ask);
  const { context, marks, settled } = actionContext(ask, request, version);
  const act = request.isTest && action.test ? action.test : action.run;
  const output = await act.call(action, context);
  await Promise.all(settled);
  return { output: output ?? null, ...marks };
}

async function runHook({ piece, version }: LoadedPiece, request: TriggerRequest, ask: Ask): Promise<unknown> {
  const trigger = piece.getTrigger(request.trigger);
  if (!trigger) throw new Error(`The piece has no trigger ${request.trigger}.`);
  const hook: PieceFunction | undefined = trigger[request.hook];
  if (!hook && request.hook === 'test') return { result: samplesOf(trigger) };
  if (!hook) throw new Error(`The trigger ${request.trigger} has no ${request.hook}.`);
  await placeFiles(request.input, request.files ?? [], ask);
  const { context, marks } = triggerContext(ask, request, version);
  const result = await hook.call(trigger, context);
  return { result: result ?? null, ...marks };
}

/** What the test of a trigger without one finds, as the frameworks of packages have it. */
const samplesOf = ({ sampleData = null }: PublishedTrigger): unknown[] => (sampleData === null ? [] : [sampleData]);

async function optionsOf({ piece, version }: LoadedPiece, request: OptionsRequest, ask: Ask): Promise<unknown> {
  const owner = piece.getAction(request.owner) ?? piece.getTrigger(request.owner);
  const prop = owner?.props[request.prop];
  const find = prop?.type === 'DYNAMIC' ? prop.props : prop?.options;
  if (!prop || typeof find !== 'function') throw new Error(`${request.owner} has no options for ${request.prop}.`);
  const { store: _, ...context } = commonContext(ask, request, version);
  return find.call(prop, propsValueOf(request, version), { ...context, searchValue: request.searchValue });
}

/** Asks the piece whether the connection works. A piece that does not check it says nothing against it. */
async function validate(piece: PublishedPiece, { auth: value, ...server }: ValidateRequest): Promise<unknown> {
  const kind = authsOf(piece).find(({ type }) => type === value.type);
  if (!kind) throw new Error(`The piece takes no connection of the type ${value.type}.`);
  if (!kind.validate) return { valid: true };
  const { apiUrl, publicUrl } = server;
  return kind.validate({ auth: checkedValue(value), server: { apiUrl, publicUrl } });
}

/** The connections of which the piece takes one. The framework makes "none" of nothing. */
const authsOf = ({ auth }: PublishedPiece): PublishedProp[] =>
  ([] as (PublishedProp | null | undefined)[]).concat(auth).filter((kind) => !!kind);

/** The check of a piece gets secrets and properties unwrapped, whatever the version of its context. */
const UNWRAPPED: ContextVersion = 0;
const checkedValue = (value: AuthValue): unknown =>
  value.type === 'OIDC' ? value['props'] : authFor(value, UNWRAPPED);

async function eventOf({ events }: PublishedPiece, request: EventRequest): Promise<unknown> {
  if (!events) throw new Error('The piece knows no events of its app.');
  const { kind, payload, webhookSecret, appWebhookUrl, server } = request;
  return kind === 'parseEvent'
    ? events.parseAndReply({ payload, server })
    : { isGenuine: (await events.verify({ payload, webhookSecret, appWebhookUrl })) === true };
}

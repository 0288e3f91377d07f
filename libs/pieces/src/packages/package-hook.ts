import { isJsonObject, type Elsewhere, type PieceRef, type TriggerHook } from '@millrace/domain';
import type { FilesOfStep } from '../framework/files';
import type { HookStore } from '../framework/hooks';
import { ActionFailure } from '../framework/piece';
import { connectionServices, type FindConnection } from './call-connections';
import { CallFiles, type FileInput } from './call-files';
import type { PackageAuth } from './package-auth';
import { OversizedAnswer, type PackageCalls, type PackageServices } from './package-calls';

export interface PackageTriggerOf {
  readonly piece: PieceRef;
  readonly trigger: string;
  /** The connection that the trigger takes. Null when it takes none. */
  readonly connection: PackageAuth | null;
  readonly fileInputs: readonly FileInput[];
}

type Input = Readonly<Record<string, unknown>>;

/** What every hook is called with. */
export interface HookSurroundings {
  readonly input: Input;
  readonly auth: unknown;
  readonly flow: { readonly id: string; readonly projectId: string; readonly versionId?: string };
  readonly connection: FindConnection;
  readonly signal: AbortSignal;
  readonly files: FilesOfStep;
  readonly elsewhere: Elsewhere;
  readonly webhookUrl?: string;
  readonly isRepublish?: boolean;
  readonly payload?: unknown;
}

interface CallOfHook {
  readonly hook: TriggerHook;
  readonly context: HookSurroundings;
  readonly services: PackageServices;
}

/** What the package answered: the result of its hook, and what the hook asked for beside it. */
export interface HookAnswer {
  readonly result: unknown;
  /** The events of the app that the flow listens to, as the package said them. */
  readonly listeners: readonly unknown[];
  /** When the trigger polls, as the package said it. */
  readonly schedule: unknown;
}

/** The hooks of requests and polls, of which any number may wait. For the others a person waits, or another service. */
const MANIFOLD: ReadonlySet<TriggerHook> = new Set(['run', 'onHandshake']);

/** Throws ActionFailure with what the package threw. */
export async function callHook(
  { piece, trigger, connection, fileInputs }: PackageTriggerOf,
  calls: PackageCalls,
  { hook, context, services }: CallOfHook,
): Promise<HookAnswer> {
  const { input, auth, flow, signal, webhookUrl = '', isRepublish, payload } = context;
  const files = new CallFiles(context.files);
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
    // A file that is gone must not keep a flow from being disabled.
    ...(hook !== 'onDisable' && files.announced(input, fileInputs)),
    ...(payload !== undefined && payload !== null && { payload }),
    ...(isRepublish && { isRepublished: true }),
    ...(connection && { auth: connection.valueOf(auth) }),
  };
  const offered = { ...services, ...files.services, ...connectionServices(context.connection) };
  const way = { services: offered, signal, isFirst: !MANIFOLD.has(hook) };
  const call = { piece, projectId: flow.projectId, request, ...way };
  const answer = await context.elsewhere((begun) =>
    files.during(() => calls.call({ ...call, begun, ended: () => files.end() })),
  );
  if ('failure' in answer) throw new (answer.isOversized ? OversizedAnswer : ActionFailure)(answer.failure);
  const { result = null, listeners = [], schedule } = isJsonObject(answer.value) ? answer.value : {};
  return { result, listeners: Array.isArray(listeners) ? listeners : [], schedule };
}

/** How many items there may be at once, and what the author of a flow is told of more. */
export interface ItemBound {
  readonly most: number;
  readonly tooMany: string;
}

/** The store of the flow, or that of its project. */
export function storeServices(store: HookStore): PackageServices {
  return {
    'store.get': (key, isOfProject) => store.get(String(key), scopeOf(isOfProject)),
    'store.put': (key, isOfProject, value) => store.put(String(key), value, scopeOf(isOfProject)),
    'store.delete': (key, isOfProject) => store.delete(String(key), scopeOf(isOfProject)),
  };
}

const scopeOf = (isOfProject: unknown) => (isOfProject === true ? 'PROJECT' : 'FLOW');

/** The items in what `run` or `test` gave. Throws ActionFailure when it is no list, or longer than the bound. */
export function itemsIn({ result }: HookAnswer, bound?: ItemBound): unknown[] {
  if (!Array.isArray(result)) throw new ActionFailure('The trigger did not give a list of items.');
  if (bound && result.length > bound.most) throw new ActionFailure(bound.tooMany);
  return result as unknown[];
}

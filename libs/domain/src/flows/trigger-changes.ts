import { isDeepStrictEqual } from 'node:util';
import type { Flow } from './flow';
import type { FlowTrigger, FlowVersion } from './flow-version';
import type { LiveTrigger, TriggerRegistry } from './trigger-registry';

// Which trigger is registered and which is unregistered when a flow changes.
//
// T1. Only the trigger of the published version of an enabled flow is registered.
// T2. The new trigger is registered before the old one is unregistered, so that no event is lost between them.
//     This is otherwise for a trigger with hooks (trigger-operation.ts), because another service may have one webhook
//     per URL.
// T3. A version whose trigger has the same settings as the one before is not registered again. Therefore a registry may
//     have to unregister a trigger under a later version than the one it was registered under.

export interface TriggerChanges {
  register: LiveTrigger | null;
  unregister: LiveTrigger | null;
}

/**
 * `published` is the version that was published before. `version` is the latest one after the change, perhaps
 * published.
 */
export function triggerChanges(
  before: { flow: Flow; published: FlowVersion | null },
  after: { flow: Flow; version: FlowVersion },
): TriggerChanges {
  const old = liveTrigger(before.flow, before.published);
  const current = liveTrigger(after.flow, publishedAfter(after, before.published));
  if (old && current && listenAlike(old.trigger, current.trigger)) return { register: null, unregister: null };
  return { register: current, unregister: old };
}

/** The published version after a change; `before` was the published one before it. */
export const publishedAfter = (
  { flow, version }: { flow: Flow; version: FlowVersion },
  before: FlowVersion | null,
): FlowVersion | null => (version.id === flow.publishedVersionId ? version : before);

/** The trigger that listens; null when the flow is disabled or `published` is not its published version. */
export function liveTrigger(flow: Flow, published: FlowVersion | null): LiveTrigger | null {
  if (flow.status === 'DISABLED' || published === null || published.id !== flow.publishedVersionId) return null;
  return { flowId: flow.id, projectId: flow.projectId, flowVersionId: published.id, trigger: published.trigger };
}

/** Whether two triggers listen to the same events. Names, links and sample data make no difference. */
export const listenAlike = (a: FlowTrigger, b: FlowTrigger): boolean =>
  a.type === b.type && isDeepStrictEqual(heard(a), heard(b));

function heard({ settings }: FlowTrigger): object {
  const { sampleData: _marks, ...rest } = settings;
  return rest;
}

/**
 * Registers the new trigger and then unregisters the old one. When that fails, the new trigger is unregistered again
 * and the error is rethrown. Resolves with a function that takes both back, for a commit that fails afterwards.
 */
export async function registerAllOrNothing(
  registry: TriggerRegistry,
  { register, unregister }: TriggerChanges,
): Promise<() => Promise<void>> {
  if (register) await registry.register(register);
  try {
    if (unregister) await registry.unregister(unregister);
  } catch (error) {
    if (register) await takeBack(registry, register, error);
    throw error;
  }
  return async () => {
    if (unregister) await registry.register(unregister);
    if (register) await registry.unregister(register);
  };
}

async function takeBack(registry: TriggerRegistry, registered: LiveTrigger, because: unknown): Promise<void> {
  try {
    await registry.unregister(registered);
  } catch (error) {
    const message = `The trigger of flow version ${registered.flowVersionId} listens and could not be taken back.`;
    throw new AggregateError([because, error], message, { cause: error });
  }
}

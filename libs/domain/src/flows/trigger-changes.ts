import { isDeepStrictEqual } from 'node:util';
import type { Flow } from './flow';
import type { FlowTrigger, FlowVersion } from './flow-version';
import type { LiveTrigger, TriggerRegistry } from './trigger-registry';

// Which trigger has to be made to listen, and which to stop, when a flow changes.
//
// T1. The trigger of the published version of an enabled flow listens, and no other.
// T2. The new one listens before the old one stops, so that no event falls between them.
// T3. A version whose trigger listens as the one before did is not registered anew. So a registry may be asked to
//     unregister a trigger under a later version than the one it was registered under.

export interface TriggerChanges {
  register: LiveTrigger | null;
  unregister: LiveTrigger | null;
}

/** `published` is the version published before; `version` the latest after, which may have been published by the change. */
export function triggerChanges(
  before: { flow: Flow; published: FlowVersion | null },
  after: { flow: Flow; version: FlowVersion },
): TriggerChanges {
  const publishedAfter = after.version.id === after.flow.publishedVersionId ? after.version : before.published;
  const old = liveTrigger(before.flow, before.published);
  const current = liveTrigger(after.flow, publishedAfter);
  if (old && current && listenAlike(old.trigger, current.trigger)) return { register: null, unregister: null };
  return { register: current, unregister: old };
}

function liveTrigger(flow: Flow, published: FlowVersion | null): LiveTrigger | null {
  if (flow.status === 'DISABLED' || published === null || published.id !== flow.publishedVersionId) return null;
  return { flowId: flow.id, projectId: flow.projectId, flowVersionId: published.id, trigger: published.trigger };
}

/** Names, neighbours and saved sample data make no difference to who is heard. */
const listenAlike = (a: FlowTrigger, b: FlowTrigger): boolean =>
  a.type === b.type && isDeepStrictEqual(heard(a), heard(b));

function heard({ settings }: FlowTrigger): object {
  const { sampleData: _marks, ...rest } = settings;
  return rest;
}

/**
 * Registers the new trigger, then unregisters the old one. When that fails the new one is unregistered again and what was
 * thrown is thrown on. Gives what takes it all back, for a commit that fails afterwards.
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

import type { Flow, PopulatedFlow } from '../flows/flow';
import type { FlowVersion } from '../flows/flow-version';
import type { EventKind } from './event-kinds';

/** The kinds of events that a change of a flow makes. An operation that changed nothing makes none. */
export function flowEventKinds(before: PopulatedFlow, after: Flow): EventKind[] {
  const kinds: EventKind[] = [];
  if (after.publishedVersionId !== before.publishedVersionId) kinds.push('flow.published');
  if (after.status !== before.status) kinds.push(after.status === 'ENABLED' ? 'flow.enabled' : 'flow.disabled');
  if (kinds.length === 0 && after.revision !== before.revision) kinds.push('flow.updated');
  return kinds;
}

type FlowEventData = Omit<Flow, 'revision' | 'updatedBy'> & {
  version: Omit<FlowVersion, 'trigger' | 'notes' | 'published'>;
};

/**
 * What an event says about a flow. Of the version it leaves out the trigger, which may hold secrets, and with it all
 * steps, and the notes.
 */
export function flowEventData(flow: Flow, version: FlowVersion): FlowEventData {
  const { revision: _revision, updatedBy: _updatedBy, ...shown } = flow;
  const { trigger: _trigger, notes: _notes, published: _published, ...summary } = version;
  return { ...shown, version: summary };
}

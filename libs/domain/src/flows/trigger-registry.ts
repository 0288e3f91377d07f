import type { FlowTrigger } from './flow-version';

/** The trigger of a published version of an enabled flow. */
export interface LiveTrigger {
  flowId: string;
  projectId: string;
  flowVersionId: string;
  trigger: FlowTrigger;
}

/**
 * Makes triggers listen: it subscribes to webhooks of other services and sets up schedules and polls. It is called
 * before the change of the flow is committed, and an error refuses the change. Both calls may be repeated without harm.
 */
export abstract class TriggerRegistry {
  /** Throws TriggerRegistrationError. */
  abstract register(trigger: LiveTrigger): Promise<void>;
  /** Rejects when the trigger may go on listening. */
  abstract unregister(trigger: LiveTrigger): Promise<void>;
}

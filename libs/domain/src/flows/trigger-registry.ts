import type { FlowTrigger } from './flow-version';

/** The trigger of a published version of an enabled flow. */
export interface LiveTrigger {
  flowId: string;
  projectId: string;
  flowVersionId: string;
  trigger: FlowTrigger;
}

/**
 * Makes triggers heard: subscribes to webhooks elsewhere, sets up schedules and polls. Called before the change of the
 * flow is committed; what it throws refuses the change. Both calls may be repeated without harm.
 */
export abstract class TriggerRegistry {
  /** Throws TriggerRegistrationError. */
  abstract register(trigger: LiveTrigger): Promise<void>;
  /** Throws TriggerRegistrationError. */
  abstract unregister(trigger: LiveTrigger): Promise<void>;
}

import type { ControlSettings, FlowAction, FlowTrigger } from '@millrace/domain';
import { webhookTrigger } from '@millrace/domain/testing';

/** A webhook's flow with these settings of control. */
export function controlled(control: ControlSettings, steps: FlowAction[]): FlowTrigger {
  const trigger = webhookTrigger(steps);
  return { ...trigger, settings: { ...trigger.settings, ...control } };
}

/**
 * - `onEnable`: the flow is about to listen. The trigger may register its webhook URL at another service.
 * - `onDisable`: the flow listens no more. The trigger takes back what `onEnable` did.
 * - `onRenew`: what `onEnable` registered is about to expire.
 * - `run`: makes the items, each of which starts a run, of a request to the webhook URL or of a poll.
 * - `test`: makes sample items, and has no effect that lasts.
 * - `onHandshake`: answers the request by which another service asks whether the webhook URL is meant for it.
 */
export const TRIGGER_HOOKS = ['onEnable', 'onDisable', 'onRenew', 'run', 'test', 'onHandshake'] as const;
export type TriggerHook = (typeof TRIGGER_HOOKS)[number];

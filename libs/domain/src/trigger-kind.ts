/** What starts a run. */
export const TRIGGER_KINDS = ['WEBHOOK', 'SCHEDULE', 'POLLING', 'APP_WEBHOOK', 'MANUAL', 'SUBFLOW'] as const;
export type TriggerKind = (typeof TRIGGER_KINDS)[number];

/** What starts a run. */
export type TriggerKind = 'WEBHOOK' | 'SCHEDULE' | 'POLLING' | 'APP_WEBHOOK' | 'MANUAL' | 'SUBFLOW';

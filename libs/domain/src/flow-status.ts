export type FlowStatus = 'ENABLED' | 'DISABLED';
export const FLOW_STATUSES: readonly FlowStatus[] = ['ENABLED', 'DISABLED'];

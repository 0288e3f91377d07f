/** A published package whose action waits. */
export interface WaitCase {
  readonly piece: string;
  readonly version: string;
  readonly action: string;
}

export const WAIT_CASES = {
  delay: { piece: 'delay', version: '0.3.26', action: 'delayFor' },
  'webhook-0': { piece: 'webhook', version: '0.1.25', action: 'return_response_and_wait_for_next_webhook' },
  'webhook-1': { piece: 'webhook', version: '0.1.29', action: 'return_response_and_wait_for_next_webhook' },
  subflows: { piece: 'subflows', version: '0.4.11', action: 'callFlow' },
} as const satisfies Record<string, WaitCase>;

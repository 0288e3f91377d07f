import { createHmac } from 'node:crypto';
import type { MalformedCase } from './case-file';
import { fill } from './rendered-request';

// The signatures of Standard Webhooks in the cases. Each is wrong in one respect.

const KEY = Buffer.from('the key of the flow that is signed');
const OTHER_KEY = Buffer.from('the key of another flow');
/** The body that most cases sign. */
const BODY = '{"a":1}';
const WINDOW_SECONDS = 301;

/** The input of the trigger of `signed_flow_id`. */
export const SIGNED_TRIGGER = {
  authType: 'standard_webhooks',
  authFields: { secrets: [`whsec_${KEY.toString('base64')}`] },
};

/** The value of each placeholder about times and signatures, for this case at this moment. */
export function signaturesFor({ headers, body }: MalformedCase): [name: string, value: string][] {
  const nowMs = Date.now();
  // Rounded up, so that a time beyond the window is still beyond it when the request arrives.
  const now = Math.ceil(nowMs / 1_000);
  const times: [string, string][] = [
    ['now', String(now)],
    ['now_ms', String(nowMs)],
    ['now_hex', now.toString(16)],
    ['now+301', String(now + WINDOW_SECONDS)],
    ['now-301', String(now - WINDOW_SECONDS)],
  ];
  const own = (name: string) => fill(headers[name] ?? '', new Map(times));
  const ofItself = signature(KEY, own('webhook-id'), own('webhook-timestamp'), body ?? '');
  const good = signature(KEY, 'm1', String(now), BODY);
  return [
    ...times,
    ['valid_sig_for_this', ofItself],
    ['valid_sig_of_shifted_parts', ofItself],
    ['valid_sig', good],
    ['sig_of_other_body', good],
    ['sig_of_body_without_spaces', good],
    ['sig_with_secret_of_other_flow', signature(OTHER_KEY, 'm1', String(now), BODY)],
    ['sig_with_empty_secret', signature(Buffer.alloc(0), 'm1', String(now), BODY)],
  ];
}

const signature = (key: Buffer, id: string, time: string, body: string): string =>
  createHmac('sha256', key).update(`${id}.${time}.${body}`).digest('base64');

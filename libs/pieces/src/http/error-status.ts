import { STATUS_CODES } from 'node:http';
import type { OutboundAnswer } from '@millrace/domain';
import { ActionFailure } from '../framework/piece';
import type { ReceivedBody } from './received-body';

const MAX_QUOTED_CHARS = 500;

/** The failure because of a status, with the beginning of the answer. */
export function errorStatus(
  { status, retryAfterMs }: OutboundAnswer,
  { body, bodyIsBase64 }: ReceivedBody,
): ActionFailure {
  const line = `The server answered ${[status, STATUS_CODES[status]].filter(Boolean).join(' ')}`;
  const text = body === null || bodyIsBase64 ? '' : typeof body === 'string' ? body : JSON.stringify(body);
  const message = text.trim() === '' ? `${line}.` : `${line}: ${text.trim().slice(0, MAX_QUOTED_CHARS)}`;
  return new ActionFailure(message, retryAfterMs);
}

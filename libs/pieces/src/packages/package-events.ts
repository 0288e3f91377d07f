import { isJsonObject, type AppRequest, type PieceRef, type ReadEvent } from '@millrace/domain';
import { ActionFailure } from '../framework/piece';
import { UnansweredCall, type PackageAnswer, type PackageCalls } from './package-calls';

const LONGEST_TEXT = 500;

/**
 * Has a package verify a request of its app, and read it. Null when the request is not from the provider, and when the
 * package cannot tell. A GET is a provider's question whether the URL is right. Nothing of it is signed, so it is never an
 * event, and null when the package has no reply to it. Throws ActionFailure with what the package throws at a genuine request, and UnansweredCall when it
 * was not asked or gave no answer, which says nothing about the request.
 */
export async function readAppEvent(
  piece: PieceRef,
  { payload, webhookSecret, webhookUrl, publicUrl }: AppRequest,
  { calls, projectId, signal }: { calls: PackageCalls; projectId: string; signal: AbortSignal },
): Promise<ReadEvent | null> {
  const ask = async (request: Readonly<Record<string, unknown>>): Promise<PackageAnswer> => {
    const answer = await calls.call({ piece, projectId, request, services: {}, signal });
    if ('failure' in answer && answer.isUnanswered) throw new UnansweredCall(answer.failure);
    return answer;
  };
  const parse = () => ask({ kind: 'parseEvent', payload, server: { publicUrl } });
  if (payload.method === 'GET') {
    const asked = await parse();
    const reply = 'failure' in asked ? null : replyIn(asked.value);
    return reply && { event: null, reply };
  }
  const verified = await ask({ kind: 'verifyEvent', payload, webhookSecret, appWebhookUrl: webhookUrl });
  if ('failure' in verified || !isJsonObject(verified.value) || verified.value['isGenuine'] !== true) return null;
  const read = await parse();
  if ('failure' in read) throw new ActionFailure(read.failure);
  const { event, identifierValue } = isJsonObject(read.value) ? read.value : {};
  const [name, identifier] = [textOf(event), textOf(identifierValue)];
  return {
    event: name === null || identifier === null ? null : { name, identifierValue: identifier },
    reply: replyIn(read.value),
  };
}

function replyIn(value: unknown): ReadEvent['reply'] {
  const reply = isJsonObject(value) ? value['reply'] : null;
  return isJsonObject(reply) ? { headers: headersOf(reply['headers']), body: reply['body'] ?? null } : null;
}

const textOf = (value: unknown): string | null =>
  (typeof value === 'string' && value !== '') || typeof value === 'number'
    ? String(value).slice(0, LONGEST_TEXT)
    : null;

const headersOf = (given: unknown): Record<string, string> =>
  Object.fromEntries(Object.entries(isJsonObject(given) ? given : {}).map(([name, value]) => [name, String(value)]));

import { isJsonObject } from '@millrace/domain';
import { isMissing } from '../framework/coerce-input';
import { ActionFailure } from '../framework/piece';
import { asText, jsonTextOf, textPairs } from '../framework/text-values';

export interface BodyToSend {
  body: string;
  contentType: string;
}

/** The body of the request and its content type. Undefined when the request has no body. */
export function bodyToSend(
  bodyType: 'none' | 'json' | 'form' | 'raw' | undefined,
  body: unknown,
): BodyToSend | undefined {
  if (isMissing(body)) return undefined;
  switch (bodyType ?? 'json') {
    case 'none':
      return undefined;
    case 'json':
      return { body: jsonTextOf(body), contentType: 'application/json' };
    case 'form':
      return { body: formOf(body), contentType: 'application/x-www-form-urlencoded' };
    case 'raw':
      return { body: asText(body), contentType: 'text/plain; charset=utf-8' };
  }
}

/** Adds query parameters to a URL. A text that is no URL is returned unchanged, and the client refuses it. */
export function urlWith(url: string, queryParams: Readonly<Record<string, unknown>>): string {
  const added = [...textPairs(queryParams)];
  if (added.length === 0 || !URL.canParse(url)) return url;
  const parsed = new URL(url);
  for (const [name, value] of added) parsed.searchParams.append(name, value);
  return parsed.href;
}

/** Joins headers. A later one replaces an earlier one of the same name, whatever its case. */
export function joinHeaders(...several: readonly Readonly<Record<string, string>>[]): Record<string, string> {
  const joined = new Map<string, [name: string, value: string]>();
  for (const headers of several)
    for (const [name, value] of Object.entries(headers)) joined.set(name.toLowerCase(), [name, value]);
  return Object.fromEntries(joined.values());
}

function formOf(body: unknown): string {
  if (typeof body === 'string') return body;
  if (isJsonObject(body)) return new URLSearchParams([...textPairs(body)]).toString();
  throw new ActionFailure('The body of a form must be an object or text.');
}

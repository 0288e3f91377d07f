import type { HiddenValues } from '../connections/hidden-values';
import type { ReferringText } from '../connections/value-references';
import type { JsonText } from '../json/json-text';
import type { RunResponse } from './step-effects';

type Content = Pick<RunResponse, 'headers' | 'body'>;

/** The response as it is stored: with references to the values of connections in its headers and body. */
export function hiddenResponse(response: RunResponse, hidden: HiddenValues): RunResponse {
  if (response.references) return response;
  const stored = hidden.hide(textOf(response));
  if (typeof stored === 'string') return response;
  return { status: response.status, ...contentOf(stored.text), references: stored.references };
}

/** The response with the values that `reveal` puts in. */
export function revealedResponse(response: RunResponse, reveal: (stored: ReferringText) => JsonText): RunResponse {
  const { references } = response;
  if (!references) return response;
  return { status: response.status, ...contentOf(reveal({ text: textOf(response), references })) };
}

const textOf = ({ headers, body }: Content): JsonText => JSON.stringify({ headers, body: body ?? null });

const contentOf = (text: JsonText): Content => JSON.parse(text) as Content;

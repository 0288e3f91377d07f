import type { OutboundAnswer } from '@millrace/domain';

// How the output of a step shows the body of an answer:
// - An empty body is null.
// - A body of a JSON type is its value, or its text when it is not valid JSON.
// - Text, XML, forms, and UTF-8 without a type are text.
// - Any other body is base64, with `bodyIsBase64: true` beside it.

export interface ReceivedBody {
  body: unknown;
  bodyIsBase64?: true;
}

const JSON_TYPE = /^[^/]+\/(?:json|[^;]+\+json)$/;
const TEXT_TYPE =
  /^(?:text\/.*|[^/]+\/[^/]+\+xml|application\/(?:xml|javascript|x-www-form-urlencoded|yaml|x-yaml|x-ndjson))$/;

export function readBody({ headers, body }: Pick<OutboundAnswer, 'headers' | 'body'>): ReceivedBody {
  if (body.length === 0) return { body: null };
  const [type = '', ...parameters] = (headers['content-type'] ?? '')
    .split(';')
    .map((part) => part.trim().toLowerCase());
  if (JSON_TYPE.test(type)) return { body: parsedOrText(textOf(body, parameters)) };
  if (TEXT_TYPE.test(type)) return { body: textOf(body, parameters) };
  const text = type === '' ? utf8Of(body) : null;
  return text === null ? { body: Buffer.from(body).toString('base64'), bodyIsBase64: true } : { body: text };
}

function parsedOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Decodes text by its `charset`. An unknown charset is read as UTF-8. */
function textOf(bytes: Uint8Array, parameters: readonly string[]): string {
  const charset = parameters.find((parameter) => parameter.startsWith('charset='))?.slice('charset='.length);
  return decoderFor(charset?.replaceAll('"', '') ?? 'utf-8').decode(bytes);
}

function decoderFor(charset: string): InstanceType<typeof TextDecoder> {
  try {
    return new TextDecoder(charset);
  } catch {
    return new TextDecoder();
  }
}

function utf8Of(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

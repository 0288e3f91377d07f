import type { OutboundAnswer } from '@millrace/domain';

// How a body reads in the output of a step:
// - nothing at all: null
// - a JSON type: the value; when it is not JSON after all, its text
// - text, XML, forms, and what has no type but is UTF-8: text
// - anything else: base64, and `bodyIsBase64: true` beside it

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

/** Text in an encoding that is not known is read as UTF-8. */
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

/** The rules that every answer must keep, whatever the request was. */
import { Ajv2020 } from 'ajv/dist/2020.js';
import { readFileSync } from 'node:fs';

/** Texts that only come from inside the server. No request contains such a text, so an echo does not match either. */
const INSIDE_OF_SERVER = JSON.parse(
  readFileSync(new URL('../../tests/cases/server-internals.json', import.meta.url), 'utf8'),
).map(({ what, pattern, flags }) => [what, new RegExp(pattern, flags)]);

/**
 * `slowest` is how many seconds an answer may take.
 * @param {{
 *   secrets: [what: string, text: string][], word?: string, slowest: number, answers: ReturnType<typeof answerCheck>
 * }} known
 */
export function rulesWith({ secrets, word, slowest, answers }) {
  const hidden = secrets.filter(([, text]) => text?.length > 3);
  return (request, answer) => {
    if (answer.cut) return [`got no answer: ${answer.cut}`];
    return [
      ...(answer.status >= 500 ? [`answered ${answer.status}: ${answer.text.slice(0, 200)}`] : []),
      ...(answer.ms > slowest * 1_000 ? [`took longer than ${slowest} s`] : []),
      ...(answer.headers['x-request-id'] ? [] : [`has no x-request-id (status ${answer.status})`]),
      ...(answer.status >= 400 ? shapeProblems(answer) : []),
      ...leaks(request, answer, hidden),
      ...(word && ['owner', 'nobody', 'forger'].includes(request.holder) && answer.text.includes(word)
        ? ['shows a word of another tenant']
        : []),
      ...(answer.status >= 200 && answer.status < 300 ? answers(request, answer) : []),
    ];
  };
}

/** The descriptions of packages are other people's words, such as "Select a row from a table". */
const WORDS_OF_PACKAGES = '/api/v1/pieces/catalogue';

function leaks({ operation }, { status, headers, text }, hidden) {
  const isOfOthers = status === 200 && operation.path === WORDS_OF_PACKAGES;
  const all = JSON.stringify(headers) + (isOfOthers ? '' : text);
  return [
    ...INSIDE_OF_SERVER.filter(([, pattern]) => pattern.test(all)).map(([what]) => `shows ${what}`),
    ...hidden.filter(([, secret]) => text.includes(secret) || all.includes(secret)).map(([what]) => `shows ${what}`),
  ];
}

function shapeProblems({ status, headers, text }) {
  const problems = [];
  if (!/^application\/json\b/.test(headers['content-type'] ?? ''))
    problems.push(`is of type ${headers['content-type']}`);
  let error;
  try {
    error = JSON.parse(text);
  } catch {
    return [...problems, `answers ${status} with something that is not JSON`];
  }
  const fields = Object.keys(error ?? {})
    .sort()
    .join();
  if (fields !== 'code,params,statusCode') problems.push(`answers ${status} with the fields ${fields}`);
  if (error?.statusCode !== status) problems.push(`says statusCode ${error?.statusCode} in an answer of ${status}`);
  if (!/^[A-Z][A-Z0-9_]*$/.test(error?.code)) problems.push(`has the code ${error?.code}`);
  if (typeof error?.params?.message !== 'string') problems.push('says nothing in params.message');
  return problems;
}

/** Returns a function that checks successful answers against the OpenAPI document. */
export function answerCheck(document) {
  const ajv = new Ajv2020({ strict: false, allErrors: false, validateFormats: false });
  ajv.addSchema(document, 'api');
  const compiled = new Map();
  return ({ operation }, { status, text }) => {
    const answer = operation.spec.responses?.[status];
    if (!operation.spec.responses) return [];
    if (!answer) return [`answers ${status}, which is not described`];
    if (!answer.content?.['application/json']?.schema) return [];
    const pointer = [
      'paths',
      operation.path,
      operation.method.toLowerCase(),
      'responses',
      status,
      'content',
      'application/json',
      'schema',
    ];
    const reference = `api#/${pointer.map((part) => encodeURIComponent(String(part).replaceAll('~', '~0').replaceAll('/', '~1'))).join('/')}`;
    if (!compiled.has(reference)) compiled.set(reference, ajv.compile({ $ref: reference }));
    const validate = compiled.get(reference);
    if (validate(JSON.parse(text))) return [];
    const [{ instancePath, message, params }] = validate.errors;
    return [`answers otherwise than described: ${instancePath} ${message} ${JSON.stringify(params)}`];
  };
}

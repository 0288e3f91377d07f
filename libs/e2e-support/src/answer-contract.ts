import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import { serviceUnderTest } from './service-under-test';

// Checks every answer of the service against the service's own OpenAPI document.

export interface ContractAnswer {
  status: number;
  /** Null when the answer had none. */
  contentType: string | null;
  /** The parsed body; null when the answer had none. */
  body: unknown;
}

interface DocumentedAnswer {
  content?: Record<string, { schema?: object }>;
}

interface DocumentedOperation {
  responses: Record<string, DocumentedAnswer>;
}

export interface OpenApiDocument {
  paths: Record<string, Record<string, DocumentedOperation>>;
  [more: string]: unknown;
}

const JSON_TYPE = 'application/json';
const DOCUMENT = 'openapi';
/** The statuses of answers to addresses that no operation has. */
const STATUSES_WITHOUT_ROUTE = [400, 404, 405];
/** The statuses with which the HTTP parser refuses a request before its operation is known. */
const STATUSES_OF_PARSER = [408, 414, 431];

const ERROR_BODY = {
  type: 'object',
  required: ['statusCode', 'code', 'params'],
  additionalProperties: false,
  properties: {
    statusCode: { type: 'integer' },
    code: { type: 'string', pattern: '^[A-Z_]+$' },
    params: { type: 'object', required: ['message'], properties: { message: { type: 'string', pattern: '\\.$' } } },
  },
};

/** Checks answers against one OpenAPI document. */
export class AnswerContract {
  private readonly ajv = new Ajv2020({ strict: false, validateSchema: false, allErrors: false });
  private readonly validators = new Map<string, ValidateFunction>();
  private readonly isErrorBody: ValidateFunction;
  private readonly templates: readonly (readonly string[])[];

  constructor(private readonly document: OpenApiDocument) {
    addFormats(this.ajv);
    this.ajv.addSchema(document, DOCUMENT);
    this.isErrorBody = this.ajv.compile(ERROR_BODY);
    this.templates = Object.keys(document.paths).map((path) => path.split('/'));
  }

  /**
   * Throws an Error that names the request, the answer and the difference from the document. `url` may have a query.
   */
  check(method: string, url: string, answer: ContractAnswer): void {
    const problem = this.problemOf(method, url, answer);
    if (problem === null) return;
    const body = JSON.stringify(answer.body)?.slice(0, 1_000);
    throw new Error(`The answer to ${method} ${url} is not as documented: ${answer.status}, ${problem}: ${body}`);
  }

  private problemOf(method: string, url: string, answer: ContractAnswer): string | null {
    const path = this.templateOf(url);
    const name = (method === 'HEAD' ? 'GET' : method).toLowerCase();
    const operation = path === null ? undefined : this.document.paths[path]?.[name];
    if (STATUSES_OF_PARSER.includes(answer.status)) return this.problemOfError(answer);
    if (path === null || !operation)
      return STATUSES_WITHOUT_ROUTE.includes(answer.status)
        ? this.problemOfError(answer)
        : 'a route that is not documented';
    const documented = operation.responses[String(answer.status)];
    if (!documented) return `a status that is not listed for ${path}`;
    if (method === 'HEAD') return answer.body === null ? null : 'a body on HEAD';
    if (!documented.content) return answer.body === null ? null : 'a body where none is documented';
    return this.problemOfBody(['paths', path, name, 'responses', String(answer.status)], documented.content, answer);
  }

  private problemOfError({ body }: ContractAnswer): string | null {
    return this.isErrorBody(body) ? null : this.ajv.errorsText(this.isErrorBody.errors);
  }

  private problemOfBody(
    place: readonly string[],
    content: NonNullable<DocumentedAnswer['content']>,
    { contentType, body }: ContractAnswer,
  ): string | null {
    const type = contentType?.split(';', 1)[0]?.trim() ?? 'none';
    if (!content[type]) return `content of type ${type}`;
    if (type !== JSON_TYPE || !content[type].schema) return null;
    const validate = this.validator([...place, 'content', type, 'schema']);
    return validate(body) ? null : this.ajv.errorsText(validate.errors);
  }

  /** The validator of the schema at this place. It is compiled when it is first needed. */
  private validator(place: readonly string[]): ValidateFunction {
    const reference = `${DOCUMENT}#/${place.map(escaped).join('/')}`;
    const known = this.validators.get(reference);
    if (known) return known;
    const made = this.ajv.compile({ $ref: reference });
    this.validators.set(reference, made);
    return made;
  }

  /** The path template that matches the normalised address. A fixed part is preferred to a parameter. */
  private templateOf(url: string): string | null {
    const parts = new URL(url, 'http://service').pathname.split('/').map(decoded);
    const matching = this.templates.filter((template) => isOf(template, parts));
    const fixedParts = (template: readonly string[]) => template.filter((part) => !part.startsWith('{')).length;
    const best = matching.sort((one, other) => fixedParts(other) - fixedParts(one))[0];
    return best?.join('/') ?? null;
  }
}

const isOf = (template: readonly string[], parts: readonly string[]): boolean =>
  template.length === parts.length &&
  template.every((part, index) => (part.startsWith('{') ? parts[index] !== '' : part === parts[index]));

/** The decoded part, or the part unchanged when it cannot be decoded. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** Escapes a member for a JSON pointer in a URI fragment. */
const escaped = (member: string): string => encodeURIComponent(member.replaceAll('~', '~0').replaceAll('/', '~1'));

let contract: Promise<AnswerContract> | undefined;

/**
 * The contract of the build under test. It is fetched once, from the service that all suites share: the services that
 * suites start are of the same build, and an api takes a second of CPU time to make the document.
 */
export function answerContract(): Promise<AnswerContract> {
  contract ??= fetchContract(serviceUnderTest().baseUrl);
  // The document cannot be fetched while the api is away, so the next answer fetches it again.
  contract.catch(() => (contract = undefined));
  return contract;
}

async function fetchContract(baseUrl: string): Promise<AnswerContract> {
  const answer = await fetch(`${baseUrl}/api/v1/openapi.json`);
  if (!answer.ok) throw new Error(`${baseUrl} gives no OpenAPI document: ${answer.status}.`);
  return new AnswerContract((await answer.json()) as OpenApiDocument);
}

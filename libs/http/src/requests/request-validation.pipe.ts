import { InvalidRequestError, pointer } from '@millrace/domain';
import {
  Injectable,
  ValidationPipe,
  type ArgumentMetadata,
  type ValidationError,
  type ValidationPipeOptions,
} from '@nestjs/common';
import { copyOf } from './as-it-came.decorator';
import { mayBeAbsent } from './may-be-absent.decorator';

/** Checks bodies and queries against their DTO. It refuses unknown fields and names each problem by a JSON pointer. */
@Injectable()
export class RequestValidationPipe extends ValidationPipe {
  private readonly queries = new ValidationPipe(optionsFor(queryProblem));

  constructor() {
    super(optionsFor(ownProblem));
  }

  override async transform(value: unknown, metadata: ArgumentMetadata): Promise<unknown> {
    if (!this.toValidate(metadata)) return value;
    if (metadata.type === 'query') {
      refuseUnreadable(value as object);
      return this.queries.transform(foldLists(value as Record<string, unknown>), metadata);
    }
    if (metadata.type === 'body') {
      const body = value === undefined && mayBeAbsent(metadata.metatype) ? {} : value;
      assertObject(body);
      refuseUnreadable(body);
      return super.transform(copyOf(body), metadata);
    }
    return super.transform(value, metadata);
  }
}

const optionsFor = (problemOf: ProblemOf): ValidationPipeOptions => ({
  transform: true,
  whitelist: true,
  forbidNonWhitelisted: true,
  exceptionFactory: (errors) => new InvalidRequestError(errors.flatMap((error) => problemsOf(error, '', problemOf))),
});

function assertObject(value: unknown): asserts value is object {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new InvalidRequestError([{ path: '', message: 'must be a JSON object.' }]);
}

const LIST_KEY = /^([^[\]]+)\[(\d{0,4})\]$/;

/** Reads `a[]=1&a[]=2` and `a[0]=1&a[1]=2` as the list `a`, like `a=1&a=2`. It does not split at commas. */
export function foldLists(query: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const folded: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
  for (const [key, value] of Object.entries(query)) {
    const name = LIST_KEY.exec(key)?.[1];
    if (name === undefined) folded[key] = key in folded ? [folded[key], value].flat() : value;
    else folded[name] = [folded[name] ?? [], value].flat();
  }
  return folded;
}

/** Refuses members with names of Object.prototype, which class-transformer would silently leave out. */
function refuseUnreadable(value: object): void {
  const unreadable = Object.keys(value).find((member) => member in Object.prototype);
  if (unreadable !== undefined) throw new InvalidRequestError([{ path: `/${unreadable}`, message: UNKNOWN }]);
}

function problemsOf(error: ValidationError, parent: string, problemOf: ProblemOf): { path: string; message: string }[] {
  const path = pointer(parent, error.property);
  const message = problemOf(error);
  const own = message === null ? [] : [{ path, message }];
  return [...own, ...(error.children ?? []).flatMap((child) => problemsOf(child, path, problemOf))];
}

/** Says what is wrong with a member itself. Returns null when only members inside it are wrong. */
type ProblemOf = (error: ValidationError) => string | null;

/** A parameter that is given several times reads as a list. Only the rules of lists say something useful about it. */
function queryProblem(error: ValidationError): string | null {
  const problem = ownProblem(error);
  if (!Array.isArray(error.value) || problem === null || problem === UNKNOWN || isAboutLists(error)) return problem;
  return 'must be given once; it is not a list.';
}

const EACH = 'each value in ';

const isAboutLists = ({ constraints = {} }: ValidationError): boolean =>
  Object.entries(constraints).some(([rule, message]) => rule.startsWith('array') || message.startsWith(EACH));

const UNKNOWN = 'is not a known field.';

/** Rules about the type of a value. Other rules say nothing useful about a value of the wrong type. */
const TYPES = ['isArray', 'isString', 'isInt', 'isBoolean', 'isObject'];
/** Rules about the size of a value. */
const SIZES = [
  ...['isNotEmpty', 'isLength', 'minLength', 'maxLength', 'min', 'max', 'matches'],
  ...['arrayNotEmpty', 'arrayMinSize', 'arrayMaxSize'],
];

/** Returns the first problem of a member: it is unknown, missing, of the wrong type or of the wrong size. */
function ownProblem({ constraints = {}, property, value }: ValidationError): string | null {
  const rules = Object.keys(constraints);
  if (rules.length === 0) return null;
  if (rules.includes('whitelistValidation')) return UNKNOWN;
  if (value === undefined) return 'is required.';
  const type = TYPES.find((name) => rules.includes(name));
  const rule = type ?? rules.find((name) => !SIZES.includes(name)) ?? rules[0] ?? '';
  return sentence(constraints[rule] ?? '', property);
}

/** Removes the name of the property from the message, because the path names it already. */
function sentence(message: string, property: string): string {
  const rest = message.startsWith(`${property} `) ? message.slice(property.length + 1) : message;
  const short = rest.replace(`${EACH}${property} `, 'each value ');
  return short.endsWith('.') ? short : `${short}.`;
}

import type { JsonSchema } from '@millrace/domain';
import { ApiProperty } from '@nestjs/swagger';
import { getMetadataStorage } from 'class-validator';
import type { ValidationMetadata } from 'class-validator/types/metadata/ValidationMetadata';

// The parser of a request checks the rules of class-validator on its DTO. The document takes them from there, so that
// no DTO says a bound, a pattern or a list of values twice.

type Describe = (...constraints: never[]) => JsonSchema;

/** What each rule means in a schema. */
const KEYWORDS: Readonly<Record<string, Describe>> = {
  isInt: () => ({ type: 'integer' }),
  isIso8601: () => ({ format: 'date-time' }),
  isUuid: () => ({ format: 'uuid' }),
  min: (minimum: number) => ({ minimum }),
  max: (maximum: number) => ({ maximum }),
  isEmailAddress: () => ({ format: 'email' }),
  isNotEmpty: () => ({ minLength: 1 }),
  minLength: (minLength: number) => ({ minLength }),
  maxLength: (maxLength: number) => ({ maxLength }),
  isLength: (minLength: number, maxLength: number) => ({ minLength, maxLength }),
  matches: (pattern: RegExp) => ({ pattern: pattern.source }),
  arrayNotEmpty: () => ({ minItems: 1 }),
  arrayMinSize: (minItems: number) => ({ minItems }),
  arrayMaxSize: (maxItems: number) => ({ maxItems }),
};

/** Rules about the type, which the plugin reads from the type in TypeScript, and rules that a schema cannot express. */
const SAID_ELSEWHERE: ReadonlySet<string> = new Set([
  ...['isString', 'isBoolean', 'isObject', 'isArray', 'isDefined', 'isOptional'],
  ...['isMoment', 'isIteration', 'isSmallJson'],
]);

/** Adds the rules of every DTO to its description. Throws for a rule that it does not know. */
export function describeValidationRules(): void {
  const { validationMetadatas } = getMetadataStorage() as unknown as {
    validationMetadatas: ReadonlyMap<object | string, readonly ValidationMetadata[]>;
  };
  for (const [target, rules] of validationMetadatas)
    if (typeof target === 'function')
      for (const rule of rules) describeRule((target as { prototype: object }).prototype, rule);
}

function describeRule(prototype: object, rule: ValidationMetadata): void {
  const keywords = keywordsOf(rule);
  if (keywords) ApiProperty({ ...keywords, required: undefined })(prototype, rule.propertyName);
}

function keywordsOf({ name, type, constraints, each, propertyName }: ValidationMetadata): JsonSchema | null {
  const rule = name ?? type;
  if (rule === 'isIn') return { enum: (constraints as [unknown[]])[0], isArray: each || undefined };
  const describe = Object.hasOwn(KEYWORDS, rule) ? KEYWORDS[rule] : undefined;
  if (describe) return describe(...((constraints ?? []) as never[]));
  if (SAID_ELSEWHERE.has(rule) || type === 'conditionalValidation') return null;
  throw new Error(`The document does not know what the rule ${rule} of ${propertyName} means.`);
}

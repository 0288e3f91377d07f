import type { JsonSchema } from '@millrace/domain';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';

const NOT_NULL = [
  { type: 'string' },
  { type: 'number' },
  { type: 'boolean' },
  { type: 'array', items: {} },
  { type: 'object', additionalProperties: true },
];

interface Description {
  example?: unknown;
  nullable?: boolean;
  required?: boolean;
}

/** The schema of any JSON value. With `nullable`, null is allowed too. */
export const anyJsonSchema = ({ example, nullable = false }: Description): JsonSchema => ({
  anyOf: nullable ? [...NOT_NULL, { type: 'null' }] : NOT_NULL,
  example,
});

/** Describes a member that is any JSON value. */
export function IsAnyJson({ required = true, ...description }: Description = {}): PropertyDecorator {
  const schema = anyJsonSchema(description) as object;
  return required ? ApiProperty(schema) : ApiPropertyOptional(schema);
}

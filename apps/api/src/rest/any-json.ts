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

/** Describes a member that is any JSON value. With `nullable`, null is allowed too. */
export function IsAnyJson({ example, nullable = false, required = true }: Description = {}): PropertyDecorator {
  const schema = { anyOf: nullable ? [...NOT_NULL, { type: 'null' }] : NOT_NULL, example } as object;
  return required ? ApiProperty(schema) : ApiPropertyOptional(schema);
}

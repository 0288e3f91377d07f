/** A schema of JSON Schema 2020-12, as the OpenAPI document uses it. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** Refers to a schema by its name in the OpenAPI document. */
export const schemaRef = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` });

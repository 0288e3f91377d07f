/** The header of a request that must take effect only once. */
export const IDEMPOTENCY_KEY = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'The request has its effect once: for 24 hours a repetition with the same key and body gets the first answer, with `Idempotent-Replayed: true`.',
  schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[\\x21-\\x7e]+$' },
  example: '5b1d1a2e-6f0f-4a57-9a3e-2b8f4d7c9e10',
} as const;

const PATTERN = new RegExp(IDEMPOTENCY_KEY.schema.pattern);

export const isIdempotencyKey = (key: unknown): key is string =>
  typeof key === 'string' && key.length <= IDEMPOTENCY_KEY.schema.maxLength && PATTERN.test(key);

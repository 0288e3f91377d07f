import { ValidateBy } from 'class-validator';

/** Checks that the JSON text of a value has at most this many bytes. */
export const IsSmallJson = (mostBytes: number): PropertyDecorator =>
  ValidateBy({
    name: 'isSmallJson',
    validator: {
      validate: (value: unknown) => Buffer.byteLength(JSON.stringify(value) ?? '') <= mostBytes,
      defaultMessage: () => `must be at most ${mostBytes} bytes of JSON.`,
    },
  });

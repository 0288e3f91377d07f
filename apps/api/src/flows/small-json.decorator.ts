import { ValidateBy } from 'class-validator';

/** A value whose JSON text is at most so many bytes long. */
export const IsSmallJson = (mostBytes: number): PropertyDecorator =>
  ValidateBy({
    name: 'isSmallJson',
    validator: {
      validate: (value: unknown) => Buffer.byteLength(JSON.stringify(value) ?? '') <= mostBytes,
      defaultMessage: () => `must be at most ${mostBytes} bytes of JSON.`,
    },
  });

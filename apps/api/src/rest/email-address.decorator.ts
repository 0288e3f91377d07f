import { applyDecorators } from '@nestjs/common';
import { IsString, MaxLength, ValidateBy } from 'class-validator';

const EMAIL = /^[^\s@]+@[^\s@]+$/;
const MAX_LENGTH = 320;

/** Checks an e-mail address: something before and after an @, which only a mail server can tell more about. */
export const IsEmailAddress = (): PropertyDecorator =>
  applyDecorators(
    IsString(),
    MaxLength(MAX_LENGTH),
    ValidateBy({
      name: 'isEmailAddress',
      validator: {
        validate: (value: unknown) => typeof value === 'string' && EMAIL.test(value),
        defaultMessage: () => 'must be an e-mail address.',
      },
    }),
  );

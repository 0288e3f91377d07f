import { isEmailAddress, normalizedEmail } from '@millrace/domain';
import { applyDecorators } from '@nestjs/common';
import { Transform } from 'class-transformer';
import { IsString, MaxLength, ValidateBy } from 'class-validator';

const MAX_LENGTH = 320;

/** Checks an e-mail address, and brings it into the form in which it is stored. */
export const IsEmailAddress = (): PropertyDecorator =>
  applyDecorators(
    Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? normalizedEmail(value) : value)),
    IsString(),
    MaxLength(MAX_LENGTH),
    ValidateBy({
      name: 'isEmailAddress',
      validator: {
        validate: (value: unknown) => typeof value === 'string' && isEmailAddress(value),
        defaultMessage: () => 'must be an e-mail address.',
      },
    }),
  );

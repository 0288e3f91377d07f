import { applyDecorators } from '@nestjs/common';
import { IsString, Matches, MaxLength } from 'class-validator';
import { MAX_DISPLAY_NAME_LENGTH } from '@millrace/domain';

/** A name for people: a string with something in it besides white space. */
export const IsDisplayName = (): PropertyDecorator =>
  applyDecorators(
    IsString(),
    MaxLength(MAX_DISPLAY_NAME_LENGTH),
    Matches(/\S/u, { message: 'must not be blank.' }),
  ) as PropertyDecorator;

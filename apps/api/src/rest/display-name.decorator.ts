import { applyDecorators } from '@nestjs/common';
import { IsString, Matches, MaxLength } from 'class-validator';
import { MAX_DISPLAY_NAME_LENGTH } from '@millrace/domain';

/** Checks a name for people: a string that is not only white space. */
export const IsDisplayName = (): PropertyDecorator =>
  applyDecorators(IsString(), MaxLength(MAX_DISPLAY_NAME_LENGTH), Matches(/\S/u, { message: 'must not be blank.' }));

import { ValidateIf } from 'class-validator';

/** The member may be left out, but not null. With `IsOptional` it may be both. */
export const MayBeLeftOut = (): PropertyDecorator => ValidateIf((_, value) => value !== undefined);

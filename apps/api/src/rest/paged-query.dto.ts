import { DEFAULT_PAGE_LIMIT, MAX_PAGE_LIMIT, type PageRequest } from '@millrace/domain';
import { Transform } from 'class-transformer';
import { IsInt, IsOptional, IsString, Max, MaxLength, Min } from 'class-validator';

const WHOLE_NUMBER = /^-?\d+$/;

/** Turns the text of a whole number in a query string into the number. */
export const asWholeNumber = ({ value }: { value: unknown }): unknown =>
  typeof value === 'string' && WHOLE_NUMBER.test(value) ? Number(value) : value;

export class LimitQueryDto {
  @IsOptional()
  @Transform(asWholeNumber)
  @IsInt()
  @Min(1)
  @Max(MAX_PAGE_LIMIT)
  limit?: number = DEFAULT_PAGE_LIMIT;
}

/** The parameters that page through every list. */
export class PagedQueryDto extends LimitQueryDto {
  /** A cursor from an earlier page of the same list with the same filters. */
  @IsOptional()
  @IsString()
  @MaxLength(1_000)
  cursor?: string;
}

/** The parameters of every list of one project. */
export class ProjectPagedQueryDto extends PagedQueryDto {
  /** The project. It may be left out when the caller has a role in only one project. */
  @IsOptional()
  @IsString()
  projectId?: string;
}

export const pageOf = ({ limit, cursor }: PagedQueryDto): PageRequest => ({
  limit: limit ?? DEFAULT_PAGE_LIMIT,
  cursor: cursor ?? null,
});

/** Turns one value of a query string, or several, into a list. */
export const asList = ({ value }: { value: unknown }): unknown =>
  value === undefined || Array.isArray(value) ? value : [value];

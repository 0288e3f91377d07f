import { applyDecorators } from '@nestjs/common';
import { ApiPropertyOptional } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { isISO8601, ValidateBy } from 'class-validator';

const DATE_AND_TIME = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(Z|[+-]\d\d:?\d\d)?)?$/;

/**
 * Parses an ISO 8601 date, or date and time. Without a time zone it is UTC. Returns null for any other text. No data is
 * older than 1970, so an earlier moment becomes that one.
 */
export function momentOf(text: unknown): Date | null {
  const parts = typeof text === 'string' ? DATE_AND_TIME.exec(text) : null;
  if (!parts || !isISO8601(parts[0], { strict: true })) return null;
  const isLocal = parts[0].includes('T') && parts[1] === undefined;
  return new Date(Math.max(0, Date.parse(isLocal ? `${parts[0]}Z` : parts[0])));
}

/** Checks an optional moment in ISO 8601, and makes the property a Date. */
export const IsMoment = (): PropertyDecorator =>
  applyDecorators(
    ApiPropertyOptional({ type: 'string', format: 'date-time', example: '2026-01-31T08:00:00.000Z' }),
    Transform(({ value }: { value: unknown }) => momentOf(value) ?? value),
    ValidateBy({
      name: 'isMoment',
      validator: {
        validate: (value: unknown) => value instanceof Date,
        defaultMessage: () => 'must be a date and time in ISO 8601.',
      },
    }),
  );

import { ApiProperty } from '@nestjs/swagger';

/** The cursors of every page of a list. */
export class PageDto {
  /** The cursor of the next page; null when there are no more results. */
  @ApiProperty({ type: 'string', nullable: true, example: null })
  next: string | null;

  /** The cursor of the previous page; null on the first page. */
  @ApiProperty({ type: 'string', nullable: true, example: null })
  previous: string | null;
}

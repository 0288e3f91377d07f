import { MAX_EVENT_ID_LENGTH, MAX_EVENT_NAME_LENGTH } from '@millrace/domain';
import { AsItCame } from '@millrace/http';
import { ApiProperty } from '@nestjs/swagger';
import { IsOptional, IsString, Length } from 'class-validator';
import { IsAnyJson } from '../rest/any-json';
import { MayBeLeftOut } from '../rest/may-be-left-out.decorator';

export class PublishEventDto {
  /** The name to which flows listen, exactly. */
  @ApiProperty({ example: 'order.paid' })
  @IsString()
  @Length(1, MAX_EVENT_NAME_LENGTH)
  name: string;

  /** What the flows get as `trigger.data`: any JSON value, null when it is left out. */
  @IsAnyJson({ example: { order: 1042, total: 17.5 }, nullable: true, required: false })
  @AsItCame()
  @IsOptional()
  data?: unknown;

  /** An event of the same name and id within 24 hours starts no more runs. The service makes one when it is left out. */
  @MayBeLeftOut()
  @IsString()
  @Length(1, MAX_EVENT_ID_LENGTH)
  id?: string;

  /** The project of the flows. It may be left out by a caller with one project. */
  @MayBeLeftOut()
  @IsString()
  projectId?: string;
}

export class PublishedEventDto {
  /** The id of the event. */
  id: string;
  /** How many runs the event has started. */
  runs: number;
}

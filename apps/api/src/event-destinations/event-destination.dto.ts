import {
  EVENT_DELIVERY_STATUSES,
  EVENT_DESTINATION_STATUSES,
  EVENT_KINDS,
  MAX_DESTINATION_URL_LENGTH,
  type EventDeliveryStatus,
  type EventDestinationStatus,
  type EventKind,
} from '@millrace/domain';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ArrayMaxSize, ArrayMinSize, IsArray, IsIn, IsOptional, IsString, Length } from 'class-validator';
import { MayBeLeftOut } from '../rest/may-be-left-out.decorator';
import { PageDto } from '../rest/page.dto';

const URL_EXAMPLE = 'https://example.com/millrace-events';
const EVENTS_EXAMPLE = ['flow_run.failed', 'flow_run.timed_out'];

export class CreateEventDestinationDto {
  /** The project. It may be left out when the caller has a role in only one project. */
  @IsOptional()
  @IsString()
  projectId?: string | null;

  /** Where the events are sent. It begins with `https`, unless its address is on the list `SVC_SSRF_ALLOW_LIST`. */
  @ApiProperty({ example: URL_EXAMPLE })
  @IsString()
  @Length(1, MAX_DESTINATION_URL_LENGTH)
  url: string;

  /** The kinds of events to send. */
  @ApiProperty({ enum: EVENT_KINDS, isArray: true, example: EVENTS_EXAMPLE })
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(EVENT_KINDS.length)
  @IsIn(EVENT_KINDS, { each: true })
  events: EventKind[];
}

export class ChangeEventDestinationDto {
  /** Where the events are sent from now on. */
  @ApiPropertyOptional({ example: URL_EXAMPLE })
  @MayBeLeftOut()
  @IsString()
  @Length(1, MAX_DESTINATION_URL_LENGTH)
  url?: string;

  /** The kinds of events to send from now on. */
  @ApiPropertyOptional({ enum: EVENT_KINDS, isArray: true, example: EVENTS_EXAMPLE })
  @MayBeLeftOut()
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(EVENT_KINDS.length)
  @IsIn(EVENT_KINDS, { each: true })
  events?: EventKind[];

  /**
   * `ENABLED` sends events again, also those that waited when the destination was disabled. No event is kept of what
   * happens while it is disabled.
   */
  @ApiPropertyOptional({ enum: EVENT_DESTINATION_STATUSES })
  @MayBeLeftOut()
  @IsIn(EVENT_DESTINATION_STATUSES)
  status?: EventDestinationStatus;
}

export class EventDestinationDto {
  id: string;
  projectId: string;

  @ApiProperty({ example: URL_EXAMPLE })
  url: string;

  @ApiProperty({ enum: EVENT_KINDS, isArray: true, example: EVENTS_EXAMPLE })
  events: EventKind[];

  @ApiProperty({ enum: EVENT_DESTINATION_STATUSES })
  status: EventDestinationStatus;

  /** Why the service has disabled the destination. */
  @ApiProperty({ type: 'string', nullable: true, example: null })
  statusReason: string | null;

  /** Since when the destination has its status. */
  statusSince: Date;

  /** The first failed attempt since the last one that succeeded. After five days of failure the destination is disabled. */
  @ApiProperty({ type: 'string', format: 'date-time', nullable: true })
  failingSince: Date | null;

  created: Date;
  updated: Date;
}

export class CreatedEventDestinationDto extends EventDestinationDto {
  /** The secret that signs the events. It cannot be read again later. */
  @ApiProperty({ example: 'whsec_…' })
  secret: string;
}

export class EventDestinationPageDto extends PageDto {
  data: EventDestinationDto[];
}

export class EventTestDto {
  /** Whether the destination answered with a status of 2xx. */
  delivered: boolean;

  /** The status of the answer; null when there was none. */
  @ApiProperty({ type: 'integer', nullable: true, example: 204 })
  status: number | null;

  /** One sentence on why the event was not delivered. */
  @ApiProperty({ type: 'string', nullable: true, example: null })
  error: string | null;
}

export class EventDeliveryDto {
  id: string;

  /** The id of the event: its `id`, and the `webhook-id` of every attempt. */
  eventId: string;

  @ApiProperty({ enum: EVENT_KINDS })
  type: EventKind;

  /** `PENDING` while another attempt follows. */
  @ApiProperty({ enum: EVENT_DELIVERY_STATUSES })
  status: EventDeliveryStatus;

  /** The attempts since the event, or since the last request to deliver it again. */
  @ApiProperty({ type: 'integer' })
  attempts: number;

  /** The status of the last answer; null when there was none. */
  @ApiProperty({ type: 'integer', nullable: true, example: 503 })
  responseStatus: number | null;

  /** Why the last attempt failed. */
  @ApiProperty({ type: 'string', nullable: true, example: 'The destination answered 503.' })
  error: string | null;

  created: Date;

  @ApiProperty({ type: 'string', format: 'date-time', nullable: true })
  lastAttempt: Date | null;

  @ApiProperty({ type: 'string', format: 'date-time', nullable: true })
  nextAttempt: Date | null;
}

export class EventDeliveryPageDto extends PageDto {
  data: EventDeliveryDto[];
}

import { ApiProperty } from '@nestjs/swagger';
import { IsString } from 'class-validator';
import { IsAnyJson } from '../rest/any-json';
import { PagedQueryDto } from '../rest/paged-query.dto';
import { PageDto } from '../rest/page.dto';

export class TestTriggerDto {
  @IsString()
  flowId: string;
}

/** What the trigger of the latest version finds. */
export class TriggerTestDto {
  /** What the trigger's output would be, the newest first. */
  @ApiProperty({ type: 'array', items: {}, example: [{ id: 1042 }] })
  items: unknown[];

  /** What to do so that there is a sample; null when there is one. */
  @ApiProperty({ type: 'string', nullable: true, example: null })
  message: string | null;
}

export class ListTriggerEventsQueryDto extends PagedQueryDto {
  @IsString()
  flowId: string;
}

/** What a trigger got while its flow was built. */
export class TriggerEventDto {
  id: string;
  flowId: string;

  @IsAnyJson({ nullable: true, example: { id: 1042 } })
  payload: unknown;

  created: Date;
}

export class TriggerEventPageDto extends PageDto {
  data: TriggerEventDto[];
}

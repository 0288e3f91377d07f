import { ApiProperty } from '@nestjs/swagger';
import { IsBoolean } from 'class-validator';
import { MayBeLeftOut } from '../rest/may-be-left-out.decorator';
import { IsMoment } from '../rest/moment.decorator';

export class BackfillDto {
  /** The first instant that may get a run, at most 366 days ago. A date alone means its first moment in UTC. */
  @ApiProperty({ required: true })
  @IsMoment()
  from: Date;

  /** The last instant that may get a run. Instants to come get none. */
  @ApiProperty({ required: true })
  @IsMoment()
  to: Date;

  /** When true, the call starts nothing and only counts the runs. */
  @MayBeLeftOut()
  @IsBoolean()
  dryRun?: boolean = false;
}

export class BackfilledDto {
  /** The number of runs that this call started, or would have started with `dryRun`. */
  runs: number;
}

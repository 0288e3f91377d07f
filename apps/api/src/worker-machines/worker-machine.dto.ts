import { PIECE_WALLS, SETTINGS_FROM_API, WORKER_QUEUES, WORKER_STATUSES, type PieceWall } from '@millrace/domain';
import { ApiProperty } from '@nestjs/swagger';
import { ArrayMaxSize, IsArray, IsIn, IsInt, IsOptional, IsUUID, Length, Max, Min } from 'class-validator';
import { PageDto } from '../rest/page.dto';

const LONGEST_HOSTNAME = 255;
const LONGEST_VERSION = 50;
const MOST_RUNS = 1_000;

export class WorkerHeartbeatDto {
  /** The worker's own id, new for each process. */
  @IsUUID()
  id: string;

  @Length(1, LONGEST_HOSTNAME)
  hostname: string;

  /** The version of the service that the worker is of. */
  @Length(1, LONGEST_VERSION)
  version: string;

  /** Where the worker takes its jobs from. */
  @IsIn(WORKER_QUEUES)
  queue: (typeof WORKER_QUEUES)[number];

  /** How many runs the worker executes at once. */
  @IsInt()
  @Min(1)
  @Max(MOST_RUNS)
  concurrency: number;

  /** The walls that the worker has around packages of pieces, once it knows them. */
  @IsOptional()
  @IsArray()
  @ArrayMaxSize(PIECE_WALLS.length)
  @IsIn(PIECE_WALLS, { each: true })
  pieceIsolation?: PieceWall[];
}

export class RegisteredWorkerDto {
  /** In how many seconds the worker says again that it lives. */
  heartbeatSeconds: number;

  /** Settings of the api that the worker uses where its environment has none. */
  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'string' },
    example: { [SETTINGS_FROM_API[1]]: '600' },
  })
  settings: Record<string, string>;

  /** Where the api puts jobs. A worker that takes them from elsewhere executes nothing. */
  @ApiProperty({ enum: WORKER_QUEUES })
  queue: (typeof WORKER_QUEUES)[number];
}

export class WorkerMachineDto {
  /** The id of the worker, new at each start. */
  id: string;
  hostname: string;
  version: string;

  @ApiProperty({ enum: WORKER_QUEUES })
  queue: (typeof WORKER_QUEUES)[number];

  /** How many runs it executes at once. */
  concurrency: number;

  /** The walls that it has around packages of pieces. Null when it has not found them yet, or runs no packages. */
  @ApiProperty({ enum: PIECE_WALLS, isArray: true, nullable: true })
  pieceIsolation: readonly PieceWall[] | null;

  /** `OFFLINE` when nothing was heard of the worker for 30 s. An hour later it is not listed any more. */
  @ApiProperty({ enum: WORKER_STATUSES })
  status: (typeof WORKER_STATUSES)[number];

  /** When it registered. */
  created: Date;
  lastHeartbeat: Date;
}

export class WorkerMachinePageDto extends PageDto {
  data: WorkerMachineDto[];
}

import { Clock, DueEvents, EventSending, MaintenanceQueue, type Duty } from '@millrace/domain';
import { Inject, Injectable } from '@nestjs/common';
import { Pool } from 'pg';
import { PostgresClock } from '../postgres/postgres-clock';
import { BACKGROUND_POOL } from '../postgres/pool-share';
import { EventRetention } from './event-retention';

/** The duties that send events to destinations and bound what is kept of them. */
@Injectable()
export class EventDuties {
  readonly all: readonly Duty[];

  constructor(@Inject(BACKGROUND_POOL) pool: Pool, events: DueEvents, queue: MaintenanceQueue, clock: Clock) {
    this.all = [new EventSending(events, queue, clock), new EventRetention(pool, clock, new PostgresClock(pool))];
  }
}

import {
  DueEvents,
  eventBody,
  FAILED_TOO_LONG,
  type DestinationClaim,
  type DueEvent,
  type EventTarget,
  type SettledAttempt,
} from '@millrace/domain';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { Pool } from 'pg';
import { GroupCommit } from '../postgres/group-commit';
import { SIDE_WORK_POOL } from '../postgres/pool-share';
import { SecretBox } from '../secrets/secret-box';
import {
  claimDestinations,
  findDueEvents,
  openClaim,
  releaseClaim,
  settleAttempts,
  type StoredEvent,
} from './due-event.statements';
import { openEventSecret } from './sealed-secret';

@Injectable()
export class PostgresDueEvents extends DueEvents {
  private readonly logger = new Logger('EventDestinations');
  private readonly attempts: GroupCommit<SettledAttempt, void>;

  constructor(
    @Inject(SIDE_WORK_POOL) private readonly pool: Pool,
    private readonly box: SecretBox,
  ) {
    super();
    this.attempts = new GroupCommit((attempts) => this.settleGroup(attempts), { name: 'attempts' });
  }

  claim(now: Date, limit: number): Promise<DestinationClaim[]> {
    return claimDestinations(this.pool, now, limit);
  }

  async open(claim: DestinationClaim): Promise<EventTarget | null> {
    const sealed = await openClaim(this.pool, claim);
    const place = { id: claim.destinationId, projectId: claim.projectId };
    return sealed && { ...sealed, secret: await openEventSecret(this.box, place, sealed.secret) };
  }

  async find(claim: DestinationClaim, now: Date, limit: number, besides: readonly string[]): Promise<DueEvent[]> {
    const stored = await findDueEvents(this.pool, claim, now, limit, besides);
    return stored.map((event) => toDueEvent(event, claim));
  }

  settle(attempt: SettledAttempt): Promise<void> {
    return this.attempts.add(attempt);
  }

  release(claim: DestinationClaim): Promise<void> {
    return releaseClaim(this.pool, claim);
  }

  private async settleGroup(attempts: readonly SettledAttempt[]): Promise<void[]> {
    const disabled = await settleAttempts(this.pool, attempts);
    for (const id of disabled) this.logger.warn(`The event destination ${id} is disabled: ${FAILED_TOO_LONG}`);
    return attempts.map(() => undefined);
  }
}

const toDueEvent = (
  { id, event_id: eventId, type, created, data, attempts }: StoredEvent,
  { projectId }: DestinationClaim,
): DueEvent => ({
  deliveryId: id,
  eventId,
  body: eventBody({ id: eventId, type, created, projectId, data }),
  attempts,
});

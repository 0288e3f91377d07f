import { NamedEvents, principalName, type Principal } from '@millrace/domain';
import { newId } from '@millrace/persistence';
import { Injectable } from '@nestjs/common';
import { ProjectAccess } from '../auth/project-access';
import type { PublishedEventDto, PublishEventDto } from './named-event.dto';

/** Publishes named events of callers. */
@Injectable()
export class NamedEventsService {
  constructor(
    private readonly events: NamedEvents,
    private readonly access: ProjectAccess,
  ) {}

  /** Publishes an event in a project of the caller. Its runs are on the disk when this resolves. */
  async publish(
    principal: Principal,
    { id = newId(), name, data, ...body }: PublishEventDto,
  ): Promise<PublishedEventDto> {
    const projectId = await this.access.projectOf(principal, body.projectId);
    const source = { projectId, triggeredBy: principalName(principal) };
    return { id, runs: await this.events.publish({ id, name, data: JSON.stringify(data ?? null) }, source) };
  }
}

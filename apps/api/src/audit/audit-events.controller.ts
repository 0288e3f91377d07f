import { AuditLog, type Principal } from '@millrace/domain';
import { Controller, Get, Query } from '@nestjs/common';
import { ApiBearerAuth, ApiTags } from '@nestjs/swagger';
import { CurrentPrincipal } from '../auth/current-principal.decorator';
import { ProjectAccess } from '../auth/project-access';
import { Requires } from '../auth/requires.decorator';
import { pageOf } from '../rest/paged-query.dto';
import { AuditEventPageDto, ListAuditEventsQueryDto } from './audit.dto';

@ApiTags('audit events')
@ApiBearerAuth()
@Controller('api/v1/audit-events')
export class AuditEventsController {
  constructor(
    private readonly log: AuditLog,
    private readonly access: ProjectAccess,
  ) {}

  /** Lists who did what, newest first. Events without a project are for administrators of the platform. */
  @Requires('READ_AUDIT')
  @Get()
  async list(
    @CurrentPrincipal() principal: Principal,
    @Query() query: ListAuditEventsQueryDto,
  ): Promise<AuditEventPageDto> {
    const { projectId, action, actor, targetId, createdAfter, createdBefore } = query;
    if (projectId === undefined) this.access.assertPermittedSomewhere(principal);
    else await this.access.assertPermitted(principal, projectId);
    const filter = {
      projectIds: projectId === undefined ? principal.projectIds : [projectId],
      actions: action,
      actor,
      targetId,
      createdAfter,
      createdBefore,
    };
    return this.log.list(filter, pageOf(query));
  }
}

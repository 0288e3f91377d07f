import {
  Clock,
  exportTemplate,
  FlowRepository,
  FlowTemplateRepository,
  newFlow,
  type FlowTemplate,
  type FlowTemplateSummary,
  type FlowVersion,
  type Page,
  type Principal,
} from '@millrace/domain';
import { newId } from '@millrace/persistence';
import { Injectable } from '@nestjs/common';
import { ProjectAccess } from '../auth/project-access';
import { VersionChecker } from '../flows/version-checker';
import { pageOf, type ProjectPagedQueryDto } from '../rest/paged-query.dto';
import { parseTemplateRequest, type TemplateRequest } from './template-request';

@Injectable()
export class TemplatesService {
  constructor(
    private readonly templates: FlowTemplateRepository,
    private readonly flows: FlowRepository,
    private readonly access: ProjectAccess,
    private readonly checker: VersionChecker,
    private readonly clock: Clock,
  ) {}

  async list(principal: Principal, query: ProjectPagedQueryDto): Promise<Page<FlowTemplateSummary>> {
    const projectId = await this.access.projectOf(principal, query.projectId);
    return this.templates.list(projectId, pageOf(query));
  }

  async create(principal: Principal, body: unknown): Promise<FlowTemplate> {
    const request = parseTemplateRequest(body);
    const projectId = await this.access.projectOf(principal, request.projectId);
    const now = this.clock.now();
    const version = this.checker.withoutSecrets(await this.versionOf(principal, projectId, request));
    const exported = exportTemplate(version, now);
    const template: FlowTemplate = {
      id: newId(),
      projectId,
      name: request.name ?? exported.name,
      description: request.description ?? exported.description,
      template: exported.template,
      created: now,
      updated: now,
    };
    await this.templates.insert(template);
    return template;
  }

  read(principal: Principal, templateId: string): Promise<FlowTemplate> {
    return this.templates.get(templateId, principal.projectIds);
  }

  delete(principal: Principal, templateId: string): Promise<void> {
    return this.templates.delete(templateId, principal.projectIds);
  }

  /**
   * Returns the version to store. A definition is stored in the form of the flow that it would create, with the
   * validity of each step.
   */
  private async versionOf(principal: Principal, projectId: string, { source }: TemplateRequest): Promise<FlowVersion> {
    if ('flowId' in source) return (await this.flows.get(source.flowId, [projectId], source.versionId)).version;
    const { definition } = source;
    const ids = { flowId: newId(), versionId: newId() };
    const flow = { projectId, displayName: definition.displayName, definition };
    const { version } = newFlow(flow, principal, ids, this.clock.now());
    return (await this.checker.check({ projectId, version })).version;
  }
}

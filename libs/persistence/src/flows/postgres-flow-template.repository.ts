import { Injectable } from '@nestjs/common';
import {
  FlowTemplateRepository,
  isId,
  type FlowDefinition,
  type FlowTemplate,
  type FlowTemplateSummary,
  type Page,
  type PageRequest,
} from '@millrace/domain';
import { DataSource } from 'typeorm';
import { deleteInProjects, getInProjects } from '../identity/in-projects';
import { readEntityPage } from '../lists/entity-page';
import { storableText } from '../postgres/stored-json';
import { FlowTemplateEntity } from './flow-template.entity';
import { storableValue } from './flow.mapper';

@Injectable()
export class PostgresFlowTemplateRepository extends FlowTemplateRepository {
  constructor(private readonly dataSource: DataSource) {
    super();
  }

  async insert({ id, projectId, name, description, template, created, updated }: FlowTemplate): Promise<void> {
    await this.templates.insert({
      id,
      projectId,
      name: storableText(name),
      description: storableText(description),
      template: storableValue(template),
      created,
      updated,
    });
  }

  async get(templateId: string, projectIds: readonly string[] | 'any'): Promise<FlowTemplate> {
    const row = await getInProjects(this.templates, 'template', templateId, projectIds);
    return { ...row, template: row.template as FlowDefinition };
  }

  list(projectId: string, page: PageRequest): Promise<Page<FlowTemplateSummary>> {
    const where = isId(projectId) ? { projectId } : null;
    const select = { id: true, projectId: true, name: true, description: true, created: true, updated: true };
    return readEntityPage(this.templates, page, { filters: ['templates', projectId], where, select });
  }

  async delete(templateId: string, projectIds: readonly string[] | 'any'): Promise<void> {
    await deleteInProjects(this.templates, 'template', templateId, projectIds);
  }

  private get templates() {
    return this.dataSource.getRepository(FlowTemplateEntity);
  }
}

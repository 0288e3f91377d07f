import { Clock, FlowTemplateRepository, FolderRepository, type FlowRequest } from '@millrace/domain';
import { newId } from '@millrace/persistence';
import { Injectable } from '@nestjs/common';
import type { CreateFlowDto } from './create-flow.dto';

/** Where a new flow goes, and what its draft begins with. */
export type StartingPoint = Pick<FlowRequest, 'folderId' | 'templateId' | 'definition'>;

/** Finds the folder and the template that a new flow is to start from. */
@Injectable()
export class StartingPoints {
  constructor(
    private readonly folders: FolderRepository,
    private readonly templates: FlowTemplateRepository,
    private readonly clock: Clock,
  ) {}

  /** Throws EntityNotFoundError when the project has no such folder or template. */
  async find(request: CreateFlowDto): Promise<StartingPoint> {
    const { projectId } = request;
    const templateId = request.templateId ?? null;
    const definition = templateId === null ? null : (await this.templates.get(templateId, [projectId])).template;
    // Last, so that no folder is made for a flow that cannot be.
    return { templateId, definition, folderId: await this.folderOf(request) };
  }

  private async folderOf({ projectId, folderId, folderName }: CreateFlowDto): Promise<string | null> {
    if (typeof folderId === 'string') return (await this.folders.get(folderId, [projectId])).id;
    if (typeof folderName !== 'string') return null;
    const now = this.clock.now();
    const folder = { id: newId(), projectId, displayName: folderName, created: now, updated: now };
    return (await this.folders.findOrInsert(folder)).id;
  }
}

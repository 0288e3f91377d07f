import { Clock, FlowTemplateRepository, FolderRepository, type FlowRequest } from '@millrace/domain';
import { newId } from '@millrace/persistence';
import { Injectable } from '@nestjs/common';
import type { CreateFlowDto } from './create-flow.dto';

/** The folder of a new flow, and the start of its draft. */
export type StartingPoint = Pick<FlowRequest, 'folderId' | 'templateId' | 'definition'>;

/** Finds the folder and the template of a new flow. */
@Injectable()
export class StartingPoints {
  constructor(
    private readonly folders: FolderRepository,
    private readonly templates: FlowTemplateRepository,
    private readonly clock: Clock,
  ) {}

  /**
   * Finds both, and creates a folder that the request names. Throws EntityNotFoundError when the project does not have
   * the folder or template.
   */
  async find(request: CreateFlowDto): Promise<StartingPoint> {
    const { projectId } = request;
    const templateId = request.templateId ?? null;
    const definition = templateId === null ? null : (await this.templates.get(templateId, [projectId])).template;
    // The folder comes last, so that none is created for a flow that is then refused.
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

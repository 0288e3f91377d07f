import type { Page, PageRequest } from '../page';
import type { FlowNote } from './flow-note';
import type { FlowTrigger } from './flow-version';

/** The definition of a flow, as exports contain it and imports accept it. */
export interface FlowDefinition {
  displayName: string;
  trigger: FlowTrigger;
  schemaVersion: string;
  notes: FlowNote[];
}

/** An exported flow (section 2.5 of the interface). */
export interface TemplateExport {
  name: string;
  description: string;
  template: FlowDefinition;
  created: Date;
}

/** A template that is stored in a project, as a start for new flows. */
export interface FlowTemplate extends TemplateExport {
  id: string;
  projectId: string;
  updated: Date;
}

/** A template in a list. Its definition is left out because it may be large. */
export type FlowTemplateSummary = Omit<FlowTemplate, 'template'>;

export abstract class FlowTemplateRepository {
  abstract insert(template: FlowTemplate): Promise<void>;
  /** Throws EntityNotFoundError. */
  abstract get(templateId: string, projectIds: readonly string[] | 'any'): Promise<FlowTemplate>;
  /** Lists the templates, newest first. */
  abstract list(projectId: string, page: PageRequest): Promise<Page<FlowTemplateSummary>>;
  /** Deletes the template; flows that were made from it stay. Throws EntityNotFoundError. */
  abstract delete(templateId: string, projectIds: readonly string[] | 'any'): Promise<void>;
}

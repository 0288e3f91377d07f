import type { Page, PageRequest } from '../page';
import type { FlowNote } from './flow-note';
import type { FlowTrigger } from './flow-version';

/** A definition outside any flow: what an export holds and an import takes. */
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

/** A template kept in a project, to start flows from. */
export interface FlowTemplate extends TemplateExport {
  id: string;
  projectId: string;
  updated: Date;
}

/** A template as lists show it: without its definition, which may be large. */
export type FlowTemplateSummary = Omit<FlowTemplate, 'template'>;

export abstract class FlowTemplateRepository {
  abstract insert(template: FlowTemplate): Promise<void>;
  /** Throws EntityNotFoundError. */
  abstract get(templateId: string, projectIds: readonly string[] | 'any'): Promise<FlowTemplate>;
  /** Newest first. */
  abstract list(projectId: string, page: PageRequest): Promise<Page<FlowTemplateSummary>>;
  /** Flows made from it stay. Throws EntityNotFoundError. */
  abstract delete(templateId: string, projectIds: readonly string[] | 'any'): Promise<void>;
}

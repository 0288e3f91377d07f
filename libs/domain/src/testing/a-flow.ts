import type { Flow } from '../flows/flow';
import { anId } from './an-id';

/** An enabled flow that has no published version yet. */
export function aFlow(more: Partial<Flow> = {}): Flow {
  const id = more.id ?? anId();
  return {
    id,
    projectId: '0199f000-0000-7000-8000-000000000004',
    externalId: id,
    ownerId: '0199f000-0000-7000-8000-000000000003',
    folderId: null,
    status: 'ENABLED',
    publishedVersionId: null,
    metadata: null,
    operationStatus: 'NONE',
    timeSavedPerRun: null,
    templateId: null,
    created: new Date('2026-01-01T00:00:00.000Z'),
    updated: new Date('2026-01-01T00:00:00.000Z'),
    updatedBy: '0199f000-0000-7000-8000-000000000003',
    revision: 1,
    ...more,
  };
}

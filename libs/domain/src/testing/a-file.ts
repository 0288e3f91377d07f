import type { NewFile } from '../files/stored-file';
import { anId } from './an-id';

/** A small file of a new project. */
export const aNewFile = (more: Partial<NewFile> = {}): NewFile => ({
  id: anId(),
  projectId: anId(),
  type: 'FILE',
  name: 'orders.csv',
  contentType: 'text/csv',
  bytes: 5,
  runId: null,
  ...more,
});

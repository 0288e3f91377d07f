import { DomainError } from './domain-error';

/** Thrown when the caller's role lacks a permission. */
export class PermissionDeniedError extends DomainError {
  readonly code = 'PERMISSION_DENIED';

  constructor(permission: string, projectId?: string, message = `This needs the permission ${permission}.`) {
    super(message, { permission, ...(projectId ? { projectId } : {}) });
  }
}

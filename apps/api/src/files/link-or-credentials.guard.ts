import { AuthenticationError, Clock, FileLinks, type FileProjects } from '@millrace/domain';
import { createParamDecorator, Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { CredentialsGuard, type AuthenticatedRequest } from '../auth/credentials.guard';

type FileRequest = AuthenticatedRequest & {
  params: { id: string };
  query: Record<string, unknown>;
  fileProjects?: FileProjects;
};

/** Guards files: a request needs a signed link or credentials. */
@Injectable()
export class LinkOrCredentials implements CanActivate {
  constructor(
    private readonly links: FileLinks,
    private readonly credentials: CredentialsGuard,
    private readonly clock: Clock,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<FileRequest>();
    const { expires, signature } = request.query;
    if (expires === undefined && signature === undefined) {
      await this.credentials.identify(context);
      request.fileProjects = request.user?.projectIds;
    } else {
      await this.links.check(request.params.id, { expires, signature }, this.clock.now());
      request.fileProjects = 'any';
    }
    return true;
  }
}

/** The projects whose files the request may read, as the guard has found them. */
export const FileProjectsOfRequest = createParamDecorator((_: unknown, context: ExecutionContext): FileProjects => {
  const { fileProjects } = context.switchToHttp().getRequest<FileRequest>();
  if (fileProjects === undefined) throw new AuthenticationError();
  return fileProjects;
});

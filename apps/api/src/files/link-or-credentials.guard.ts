import { AuthenticationError, Clock, FileLinks } from '@millrace/domain';
import { createParamDecorator, Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { CredentialsGuard, type AuthenticatedRequest } from '../auth/credentials.guard';
import { readerByLink, readerWith, type FileReader } from './file-reader';

type FileRequest = AuthenticatedRequest & {
  params: { id: string };
  query: Record<string, unknown>;
  fileReader?: FileReader;
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
      request.fileReader = request.user && readerWith(request.user);
    } else {
      const view = await this.links.check(request.params.id, { expires, signature }, this.clock.now());
      request.fileReader = readerByLink(view);
    }
    return true;
  }
}

/** Who reads the file, as the guard has found it. */
export const CurrentFileReader = createParamDecorator((_: unknown, context: ExecutionContext): FileReader => {
  const { fileReader } = context.switchToHttp().getRequest<FileRequest>();
  if (fileReader === undefined) throw new AuthenticationError();
  return fileReader;
});

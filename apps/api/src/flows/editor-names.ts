import { FlowInUseError, PrincipalNames } from '@millrace/domain';
import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import { catchError, type Observable } from 'rxjs';

/** Says by name who keeps a flow from being changed. The rule that refuses the change knows only an id. */
@Injectable()
export class EditorNames implements NestInterceptor {
  constructor(private readonly names: PrincipalNames) {}

  intercept(_context: ExecutionContext, next: CallHandler): Observable<unknown> {
    return next.handle().pipe(
      catchError(async (error: unknown) => {
        throw error instanceof FlowInUseError ? await this.named(error) : error;
      }),
    );
  }

  private async named({ editing }: FlowInUseError): Promise<FlowInUseError> {
    const names = await this.names.find([editing.updatedBy]);
    return new FlowInUseError(editing, names.get(editing.updatedBy) ?? null);
  }
}

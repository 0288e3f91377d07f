import { FastifyAdapter } from '@bull-board/fastify';
import type { FastifyInstance } from 'fastify';
import { errorAnswer } from '@millrace/http';
import { outOfReach } from '../queue/reaching';

type Scope = FastifyInstance;
type Routes = Parameters<FastifyAdapter['setApiRoutes']>[0];

/**
 * The board without the routes that change something. Whoever empties, cleans, pauses or obliterates a queue takes jobs
 * from runs or stops them all, and a shared password says nothing about who did it. What an administrator may do with
 * a job is a route of the api.
 */
export class ReadOnlyBoard extends FastifyAdapter {
  private addGuard: ((scope: Scope) => void) | undefined;

  /** Names what adds the hooks that every route of the board has. Without it there is no board. */
  guard(addGuard: (scope: Scope) => void): void {
    this.addGuard = addGuard;
  }

  override registerPlugin(): ReturnType<FastifyAdapter['registerPlugin']> {
    const addRoutes = super.registerPlugin();
    return (scope, options, done) => {
      if (!this.addGuard) throw new Error('The queue board has no guard.');
      this.addGuard(scope);
      addRoutes(scope, options, done);
    };
  }

  override setApiRoutes(routes: Routes): FastifyAdapter {
    return super.setApiRoutes(routes.filter(({ method }) => method === 'get'));
  }

  /** Answers errors in the one shape. Those of the store say that it is out of reach, and nothing of its inside. */
  override setErrorHandler(): this {
    return super.setErrorHandler((error) => {
      const { body } = errorAnswer(outOfReach(error), '');
      return { status: body.statusCode as 500, body };
    });
  }
}

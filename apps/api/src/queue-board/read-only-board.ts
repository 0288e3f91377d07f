import { FastifyAdapter } from '@bull-board/fastify';
import type { FastifyInstance } from 'fastify';
import { errorAnswer } from '@millrace/http';
import { withinDeadline } from '@millrace/persistence';
import { outOfReach } from '../queue/reaching';

type Scope = FastifyInstance;
type Routes = Parameters<FastifyAdapter['setApiRoutes']>[0];
type Handler = Routes[number]['handler'];

/** BullMQ waits for a store that is away as long as it takes; a reader gets 503 after this time. */
const ANSWERS_WITHIN_MS = 5_000;

const inTime =
  (route: Routes[number]): Handler =>
  (...asked) =>
    withinDeadline(ANSWERS_WITHIN_MS, Promise.resolve(route.handler(...asked)));

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
    const reading = routes.filter(({ method }) => method === 'get');
    return super.setApiRoutes(reading.map((route) => ({ ...route, handler: inTime(route) })));
  }

  /** Answers errors in the one shape. Those of the store say that it is out of reach, and nothing of its inside. */
  override setErrorHandler(): this {
    return super.setErrorHandler((error) => {
      const { body } = errorAnswer(outOfReach(error), '');
      return { status: body.statusCode as 500, body };
    });
  }
}

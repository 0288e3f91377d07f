import { BULL_BOARD_ADAPTER, BULL_BOARD_INSTANCE, BullBoardModule, type BullBoardInstance } from '@bull-board/nestjs';
import {
  Clock,
  MAINTENANCE_QUEUE,
  RUN_QUEUE,
  SignInAttempts,
  WorkerMachineRepository,
  type WorkerMachine,
} from '@millrace/domain';
import { errorAnswer, RefusedAnswers } from '@millrace/http';
import {
  failedMaintenanceJob,
  failedRunJob,
  nameRequestError,
  openAllQueues,
  queueSettings,
  type AllQueues,
} from '@millrace/persistence';
import {
  Inject,
  Logger,
  Module,
  type DynamicModule,
  type OnApplicationShutdown,
  type OnModuleInit,
} from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { FailedJobDto } from '../queue/queue.dto';
import { QueueService } from '../queue/queue.service';
import type { ApiSettings } from '../settings/config';
import { BoardAccess } from './board-access';
import { BoardQueue, type BoardSources, type Explain } from './board-queue';
import { ReadOnlyBoard } from './read-only-board';
import { shownWorkers } from './shown-workers';

const logger = new Logger('QueueBoard');

const ALL_QUEUES = Symbol('ALL_QUEUES');
const STORE = Symbol('STORE');
const PATH = '/admin/queues';
const CHALLENGE = 'Basic realm="Millrace queues", charset="UTF-8"';
/** The pages run their own scripts and no others. Their first page has styles within it, and names its own base. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self'; connect-src 'self'; base-uri 'self'; form-action 'none'; frame-ancestors 'none'";

/** Bull Board's page loads fonts of another site, which the policy does not allow. */
const OF_ANOTHER_SITE = /<link href="https:[^>]*>/g;

type BoardSettings = Parameters<typeof queueSettings>[0] &
  Pick<ApiSettings, 'SVC_QUEUE_UI_USERNAME' | 'SVC_QUEUE_UI_PASSWORD'>;

/**
 * Serves Bull Board, which shows the jobs of both queues. Its pages are routes of Fastify, which no guard of Nest
 * protects: `ReadOnlyBoard` puts the hook that asks for the password on every route, whatever the address looks like.
 */
@Module({})
export class QueueBoardModule implements OnModuleInit, OnApplicationShutdown {
  constructor(
    @Inject(ALL_QUEUES) private readonly queues: AllQueues,
    @Inject(BULL_BOARD_INSTANCE) private readonly board: BullBoardInstance,
    @Inject(BULL_BOARD_ADAPTER) private readonly routes: ReadOnlyBoard,
    private readonly access: BoardAccess,
    private readonly app: ModuleRef,
    private readonly refused: RefusedAnswers,
  ) {}

  static forRoot(settings: BoardSettings, connections: number): DynamicModule {
    const { SVC_QUEUE_UI_USERNAME: username, SVC_QUEUE_UI_PASSWORD: password = '' } = settings;
    return {
      module: QueueBoardModule,
      imports: [
        BullBoardModule.forRoot({
          route: PATH,
          adapter: ReadOnlyBoard,
          boardOptions: { uiConfig: { boardTitle: 'Millrace queues', miscLinks: [] } },
        }),
      ],
      providers: [
        { provide: STORE, useValue: settings.SVC_REDIS_URL === undefined ? 'POSTGRESQL' : 'REDIS' },
        { provide: ALL_QUEUES, useFactory: () => openAllQueues(queueSettings(settings, connections)) },
        {
          provide: BoardAccess,
          inject: [SignInAttempts, Clock],
          useFactory: (attempts: SignInAttempts, clock: Clock) =>
            new BoardAccess({ username, password }, attempts, clock),
        },
      ],
    };
  }

  onModuleInit(): void {
    const machines = this.app.get(WorkerMachineRepository, { strict: false });
    const store = this.app.get<WorkerMachine['queue']>(STORE);
    const workers = () => shownWorkers(machines, store);
    this.board.setQueues(boardQueues(this.queues, this.app.get(QueueService, { strict: false }), workers));
    this.routes.guard((scope) => {
      scope.addHook('onRequest', (request, reply) => this.admit(request, reply));
      scope.addHook('onSend', async (_request, reply, page) =>
        withoutOtherSites(reply.getHeader('content-type'), page),
      );
      scope.addHook('onError', async ({ id }, _reply, error) =>
        logger.warn({ requestId: id, msg: 'The queues could not be shown' }, error.stack),
      );
    });
  }

  async onApplicationShutdown(): Promise<void> {
    await this.queues.close();
  }

  private async admit(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    void reply.header('content-security-policy', POLICY);
    try {
      await this.access.admit(request.headers.authorization, request.ip);
    } catch (error) {
      const { body, headers } = errorAnswer(nameRequestError(error), request.id);
      this.refused.add(body.code);
      if (body.statusCode === 401) void reply.header('www-authenticate', CHALLENGE);
      return reply.status(body.statusCode).headers(headers).type('application/json; charset=utf-8').send(body);
    }
  }
}

/** Returns a page without what it would load from other sites, and everything else as it is. */
const withoutOtherSites = (contentType: unknown, answer: unknown): unknown =>
  typeof answer === 'string' && String(contentType).startsWith('text/html')
    ? answer.replace(OF_ANOTHER_SITE, '')
    : answer;

function boardQueues(
  { runs, maintenance }: AllQueues,
  service: QueueService,
  workers: BoardSources['workers'],
): BoardQueue[] {
  const explain =
    (toFailed: (job: never) => Parameters<QueueService['explain']>[0][number]): Explain =>
    async (jobs) =>
      (await service.explain(jobs.map((job) => toFailed(job as never)))).map(explanationOf);
  return [
    new BoardQueue(runs, { explain: explain(failedRunJob), workers }, `${RUN_QUEUE}: the jobs that carry runs`),
    new BoardQueue(
      maintenance,
      { explain: explain(failedMaintenanceJob), workers },
      `${MAINTENANCE_QUEUE}: polls, hooks, events`,
    ),
  ];
}

/** What the data of a failed job does not say itself. */
const explanationOf = ({ whatToDo, runs }: FailedJobDto) => ({ whatToDo, ...(runs.length > 0 && { runs }) });

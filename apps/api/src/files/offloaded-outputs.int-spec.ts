import {
  Clock,
  FileLinks,
  FileStore,
  FlowRunRepository,
  PrincipalNames,
  ProjectRepository,
  RunLogs,
  stepResults,
  SystemClock,
  type FlowRunDetail,
  type ProjectRole,
} from '@millrace/domain';
import { aFlowRun, aNewFile, anId, aPrincipal, aRecordedStep, InMemoryFileStore } from '@millrace/domain/testing';
import { createHttpApp } from '@millrace/http';
import { LOCAL_SETTINGS, portOf } from '@millrace/http/testing';
import { Module, type ExecutionContext } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { CredentialsGuard, type AuthenticatedRequest } from '../auth/credentials.guard';
import { ProjectAccess } from '../auth/project-access';
import { RunsController } from '../runs/runs.controller';
import { RunsService } from '../runs/runs.service';
import { FilesController } from './files.controller';
import { FilesService } from './files.service';
import { LinkOrCredentials } from './link-or-credentials.guard';

const projectId = anId();
const runId = anId();
const linkWith = (requestId: string) => `https://x/api/v1/flow-runs/r/requests/${requestId}/sync?action=approve`;
const OUTPUT = JSON.stringify({ padding: 'ä'.repeat(600_000), approvalLink: linkWith('se-cr_et') });
const MASKED = OUTPUT.replace('se-cr_et', '**REDACTED**');

const stepFile = aNewFile({
  projectId,
  runId,
  type: 'STEP_FILE',
  contentType: 'application/json',
  bytes: Buffer.byteLength(OUTPUT),
});
const otherFile = aNewFile({ projectId, bytes: Buffer.byteLength(OUTPUT) });
const run: FlowRunDetail = {
  ...aFlowRun({ id: runId, projectId }),
  logsFileId: runId,
  steps: stepResults([
    aRecordedStep('links', { output: undefined, outputFile: { fileId: stepFile.id, bytes: stepFile.bytes } }),
  ]),
};

/** The credentials of a request are the name of its role. */
const credentials = {
  identify(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<AuthenticatedRequest>();
    request.user = aPrincipal({ [projectId]: request.headers.authorization as ProjectRole });
    return Promise.resolve(true);
  },
  canActivate: (context: ExecutionContext) => credentials.identify(context),
};

describe('an offloaded output with a link that answers a request', () => {
  let app: NestFastifyApplication;

  beforeAll(async () => {
    const files = new InMemoryFileStore();
    for (const file of [stepFile, otherFile]) await files.write(file, [Buffer.from(OUTPUT)]);

    @Module({
      controllers: [FilesController, RunsController],
      providers: [
        FilesService,
        RunsService,
        LinkOrCredentials,
        { provide: FileStore, useValue: files },
        { provide: FlowRunRepository, useValue: { getDetail: () => Promise.resolve(run) } },
        { provide: RunLogs, useValue: { find: () => Promise.resolve(null) } },
        { provide: ProjectRepository, useValue: { existing: (ids: string[]) => Promise.resolve(new Set(ids)) } },
        { provide: ProjectAccess, useValue: {} },
        { provide: PrincipalNames, useValue: { find: () => Promise.resolve(new Map()) } },
        { provide: Clock, useClass: SystemClock },
        { provide: FileLinks, useValue: new FileLinks('', () => Promise.resolve(Buffer.alloc(32, 7))) },
        { provide: CredentialsGuard, useValue: credentials },
        { provide: APP_GUARD, useValue: credentials },
      ],
    })
    class FilesAndRuns {}
    app = await createHttpApp(FilesAndRuns, LOCAL_SETTINGS, { name: 'test' });
    await app.listen(0, '127.0.0.1');
  });
  afterAll(() => app.close());

  const send = (path: string, role?: ProjectRole, method = 'GET') =>
    fetch(`http://127.0.0.1:${portOf(app.getHttpServer())}${path}`, {
      method,
      headers: role ? { authorization: role } : {},
    });
  const urlInRun = async (role: ProjectRole): Promise<string> => {
    const shown = (await (await send(`/api/v1/flow-runs/${runId}`, role)).json()) as {
      steps: { links: { outputFile: { url: string } } };
    };
    return shown.steps.links.outputFile.url;
  };
  const madeUrl = async (role: ProjectRole): Promise<string> => {
    const made = await send(`/api/v1/files/${stepFile.id}/link`, role, 'POST');
    return ((await made.json()) as { url: string }).url;
  };
  /** The output by every way that a role has to it. */
  const waysOf = async (role: ProjectRole): Promise<Response[]> => [
    await send(await urlInRun(role)),
    await send(await madeUrl(role)),
    await send(`/api/v1/files/${stepFile.id}`, role),
  ];

  it('hides the link from VIEWER, in the run, by a link of its own and with credentials', async () => {
    for (const answer of await waysOf('VIEWER')) {
      expect(await answer.text()).toBe(MASKED);
      expect(answer.status).toBe(200);
      expect(answer.headers.get('content-type')).toBe('application/json');
      expect(answer.headers.get('etag')).toBe(`"${stepFile.id}-masked"`);
    }
  });

  it.each(['ADMIN', 'EDITOR', 'OPERATOR'] as const)('is shown to %s as it is', async (role) => {
    for (const answer of await waysOf(role)) {
      expect(await answer.text()).toBe(OUTPUT);
      expect(answer.headers.get('content-length')).toBe(String(stepFile.bytes));
      expect(answer.headers.get('etag')).toBe(`"${stepFile.id}"`);
    }
  });

  it('is not shown whole by what the link of VIEWER and another link have in them', async () => {
    const [masked, whole] = [new URL(await madeUrl('VIEWER'), 'http://x'), new URL(await madeUrl('ADMIN'), 'http://x')];
    expect(masked.searchParams.get('signature')).not.toBe(whole.searchParams.get('signature'));
    expect([...masked.searchParams.keys()]).toEqual([...whole.searchParams.keys()]);
  });

  it('is masked alone: files that were sent are given to VIEWER byte by byte', async () => {
    const answer = await send(`/api/v1/files/${otherFile.id}`, 'VIEWER');
    expect(await answer.text()).toBe(OUTPUT);
  });
});

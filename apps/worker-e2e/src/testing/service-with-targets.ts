import type { FlowAction, FlowTrigger, PieceAction } from '@millrace/domain';
import { pieceStep, webhookTrigger } from '@millrace/domain/testing';
import { ownRedisUrl, ServiceProcess, type RunAnswer } from '@millrace/e2e-support';

const RUN_ENDS_WITHIN_MS = 100_000;

/** A service whose flows may call this machine, which the shared service refuses. */
export class ServiceWithTargets {
  private constructor(
    readonly service: ServiceProcess,
    readonly project: string,
  ) {}

  static async start(env: Record<string, string> = {}): Promise<ServiceWithTargets> {
    const redisUrl = ownRedisUrl(process.env);
    const queue: Record<string, string> = redisUrl ? { SVC_REDIS_URL: redisUrl } : {};
    const service = await ServiceProcess.start({ SVC_SSRF_ALLOW_LIST: '127.0.0.1', ...queue, ...env });
    return new ServiceWithTargets(service, await service.client.createProject('Steps'));
  }

  /** Starts a run of a new flow with these steps, and returns its id at once. */
  async start(steps: FlowAction[], body: unknown = {}): Promise<string> {
    const trigger: FlowTrigger = webhookTrigger(steps);
    const { id } = await this.service.client.publishFlow(this.project, 'Steps', trigger);
    return (await this.service.client.sendWebhook(id, body)).body.id;
  }

  /** Starts a run as `start` does, and returns it when it has ended. */
  async run(steps: FlowAction[], body: unknown = {}): Promise<RunAnswer> {
    return this.service.client.endedRun(await this.start(steps, body), RUN_ENDS_WITHIN_MS);
  }

  async connect(externalId: string, type: string, value: object): Promise<void> {
    const connection = { projectId: this.project, externalId, displayName: externalId, type, value };
    await this.service.client.must('POST', '/connections', connection);
  }
}

/** Makes a step of any piece, for example `http.send_request`. */
export function actionStep(
  name: string,
  action: `${string}.${string}`,
  input: Record<string, unknown>,
  options: PieceAction['settings']['errorHandlingOptions'] = {},
): PieceAction {
  const [pieceName = '', actionName = ''] = action.split('.');
  const step = pieceStep(name, input, { errorHandlingOptions: options });
  return { ...step, settings: { ...step.settings, pieceName, actionName } };
}

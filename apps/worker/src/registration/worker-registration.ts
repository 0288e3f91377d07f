import { HEARTBEAT_SECONDS, WrongSettingError, type PieceWall, type WorkerProfile } from '@millrace/domain';
import { postToApi, type ApiAnswer, type PostToApi } from '../api/api-client';

/** What the api tells a worker that has registered. */
export interface Welcome {
  heartbeatSeconds: number;
  /** Settings by their names, for those that this worker's environment does not have. */
  settings: Readonly<Record<string, string>>;
  /** Where the api puts jobs; absent in the answer of an api of an earlier release. */
  queue?: string;
}

/** Thrown when the api does not know the worker token. The worker must take no runs. */
export class WrongWorkerTokenError extends WrongSettingError {
  constructor(apiUrl: string) {
    super(
      `SVC_WORKER_TOKEN is wrong: the api at ${apiUrl} refuses this worker, which therefore takes no runs. ` +
        'Set it to the value that the api has.',
    );
  }
}

export interface RegistrationSettings {
  SVC_API_URL: string;
  SVC_WORKER_TOKEN: string;
}

/** The codes by which the api refuses a token. A proxy before it may answer 401 for a reason of its own. */
const REFUSALS = ['AUTHENTICATION', 'INVALID_BEARER_TOKEN', 'INVALID_API_KEY', 'PERMISSION_DENIED'];

/** Tells the api of this worker (docs/adr/0063). */
export class WorkerRegistration {
  constructor(
    private readonly settings: RegistrationSettings,
    private readonly profile: Omit<WorkerProfile, 'pieceIsolation'>,
    private readonly post: PostToApi = postToApi,
  ) {}

  get apiUrl(): string {
    return this.settings.SVC_API_URL;
  }

  /**
   * Registers this worker, or says again that it lives, with the walls around packages once they are known. Throws
   * WrongWorkerTokenError, and another error when the api cannot be reached.
   */
  async tell(pieceIsolation: readonly PieceWall[] | null = null): Promise<Welcome> {
    const { SVC_API_URL: apiUrl } = this.settings;
    let answer = await this.send(pieceIsolation === null ? this.profile : { ...this.profile, pieceIsolation });
    // An api of an earlier release knows of no walls.
    if (answer.statusCode === 400 && pieceIsolation !== null) answer = await this.send(this.profile);
    if (answer.statusCode === 200) return welcomeIn(answer.body);
    const code = codeOf(answer);
    if (REFUSALS.includes(code)) throw new WrongWorkerTokenError(apiUrl);
    throw new Error(`It answers ${answer.statusCode} ${code}`.trim());
  }

  private send(profile: object): Promise<ApiAnswer> {
    const { SVC_API_URL: apiUrl, SVC_WORKER_TOKEN: token } = this.settings;
    return this.post(`${apiUrl}/api/v1/worker-machines`, token, profile);
  }
}

function welcomeIn(body: unknown): Welcome {
  const { heartbeatSeconds, settings, queue } = (body ?? {}) as Partial<Welcome>;
  return {
    heartbeatSeconds: Number(heartbeatSeconds) || HEARTBEAT_SECONDS,
    settings: settings ?? {},
    ...(queue !== undefined && { queue }),
  };
}

const codeOf = ({ body }: ApiAnswer): string => {
  const code = (body as { code?: unknown } | null)?.code;
  return typeof code === 'string' ? code : '';
};

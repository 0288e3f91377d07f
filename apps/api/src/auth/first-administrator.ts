import {
  ApiKeyRepository,
  Clock,
  normalizedEmail,
  ProjectRepository,
  UserRepository,
  WrongSettingError,
  type User,
} from '@millrace/domain';
import { newId, untilPostgresAnswers } from '@millrace/persistence';
import { Inject, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { API_SETTINGS, type ApiSettings } from '../settings/config';
import { hashOfSecret } from './secret-tokens';
import { hashPassword } from './passwords';

/** The name of a project that a user begins with. */
export const FIRST_PROJECT = 'My project';

/** Creates the administrator, the first project and the platform key that the settings name, where they are missing. */
@Injectable()
export class FirstAdministrator implements OnApplicationBootstrap {
  private readonly logger = new Logger(FirstAdministrator.name);

  constructor(
    @Inject(API_SETTINGS) private readonly settings: ApiSettings,
    private readonly users: UserRepository,
    private readonly projects: ProjectRepository,
    private readonly apiKeys: ApiKeyRepository,
    private readonly clock: Clock,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    await untilPostgresAnswers('to look for the first administrator', () => this.ensureAll());
  }

  private async ensureAll(): Promise<void> {
    const { SVC_ADMIN_EMAIL, SVC_ADMIN_PASSWORD: password, SVC_ADMIN_API_KEY: apiKey } = this.settings;
    if (!SVC_ADMIN_EMAIL || !password) return;
    const email = normalizedEmail(SVC_ADMIN_EMAIL);
    const user = await ensure(
      () => this.users.findByEmail(email),
      () => this.insertUser(email, password),
    );
    await this.insertProject(user);
    if (apiKey)
      await ensure(
        () => this.apiKeys.findByHash(hashOfSecret(apiKey)),
        () => this.insertKey(user, apiKey),
      );
  }

  private async insertUser(email: string, password: string): Promise<void> {
    const passwordHash = await hashPassword(password);
    const names = { firstName: 'First', lastName: 'Administrator' };
    await this.users.insert({
      id: newId(),
      email,
      ...names,
      platformRole: 'ADMIN',
      passwordHash,
      created: this.clock.now(),
    });
    this.logger.log(`Made the administrator ${email}.`);
  }

  /**
   * Inserts a project if the administrator is a member of none. Its id is new, because runs, files and the audit log keep
   * the id of a deleted project.
   */
  private async insertProject({ id: ownerId }: User): Promise<void> {
    const now = this.clock.now();
    await this.projects.insertFirst({ id: newId(), displayName: FIRST_PROJECT, ownerId, created: now, updated: now });
  }

  private async insertKey(user: User, apiKey: string): Promise<void> {
    if (user.platformRole !== 'ADMIN')
      throw new WrongSettingError('SVC_ADMIN_EMAIL names a user who is no administrator of the platform.');
    await this.apiKeys.insert({
      id: newId(),
      displayName: 'Platform key',
      projectId: null,
      role: 'ADMIN',
      createdBy: user.id,
      madeByKeyId: null,
      hash: hashOfSecret(apiKey),
      lastFour: apiKey.slice(-4),
      expiresAt: null,
      lastUsedAt: null,
      created: this.clock.now(),
    });
  }
}

/** Finds the thing, or inserts and then finds it. Another process may have inserted it first. */
async function ensure<T>(find: () => Promise<T | null>, insert: () => Promise<void>): Promise<T> {
  const known = await find();
  if (known !== null) return known;
  const failure = await insert().then(
    () => new Error('What was inserted cannot be found.'),
    (error: unknown) => error,
  );
  const made = await find();
  if (made === null) throw failure;
  return made;
}

import { Clock, SystemClock } from '@millrace/domain';
import { createHttpApp } from '@millrace/http';
import { nameRequestError, PostgresModule, RepositoriesModule, SecretsModule, keyRing } from '@millrace/persistence';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { AddressInfo } from 'node:net';
import { AuthModule } from '../auth/auth.module';
import { LiveAccess } from '../live/live-access';
import { API_SETTINGS, readApiSettings } from '../settings/config';
import { UsersModule } from '../users/users.module';

export const FIRST_EMAIL = 'ada@provider.test';
export const FIRST_PASSWORD = 'correct horse battery';
export const FIRST_KEY = `sk-${'k'.repeat(43)}`;

interface Given {
  databaseUrl: string;
  settings?: Record<string, string>;
  clock?: Clock;
}

/** A process of the api with sign-in, users and live access, and nothing else. */
export class ApiOfUsers {
  private constructor(
    readonly app: NestFastifyApplication,
    readonly baseUrl: string,
  ) {}

  static async start({ databaseUrl, settings: more = {}, clock = new SystemClock() }: Given): Promise<ApiOfUsers> {
    const settings = readApiSettings({
      SVC_DATABASE_URL: databaseUrl,
      SVC_JWT_SECRET: 'q8Zk2vX1mN5rT7wY3bC9dF4gH6jL0pSa',
      SVC_ENCRYPTION_KEY: '6f1c2b9ad0e84753a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f6a7b8',
      SVC_WORKER_TOKEN: 'tK3wV8nQ5xB2mZ7rC1dF6gH9jL4pSaYe',
      SVC_ADMIN_EMAIL: FIRST_EMAIL,
      SVC_ADMIN_PASSWORD: FIRST_PASSWORD,
      SVC_ADMIN_API_KEY: FIRST_KEY,
      SVC_LOG_LEVEL: 'silent',
      ...more,
    });
    const module = {
      module: class {},
      global: true,
      imports: [
        PostgresModule.forRoot({ databaseUrl, applicationName: 'api of users' }),
        SecretsModule.forRoot(keyRing(settings)),
        RepositoriesModule,
        AuthModule,
        UsersModule,
      ],
      providers: [{ provide: API_SETTINGS, useValue: settings }, { provide: Clock, useValue: clock }, LiveAccess],
      exports: [API_SETTINGS, Clock],
    };
    const app = await createHttpApp(module, settings, { name: 'api', nameError: nameRequestError });
    await app.listen(0, '127.0.0.1');
    return new ApiOfUsers(app, `http://127.0.0.1:${(app.getHttpServer().address() as AddressInfo).port}`);
  }

  /** Reads the user behind a credential. */
  me(credential: string) {
    return this.request(credential, 'GET', '/users/me');
  }

  async request(credential: string, method: string, path: string, body?: object) {
    const answer = await fetch(`${this.baseUrl}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${credential}`, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    return {
      status: answer.status,
      headers: answer.headers,
      body: (text === '' ? null : JSON.parse(text)) as Record<string, unknown> | null,
    };
  }

  stop(): Promise<void> {
    return this.app.close();
  }
}

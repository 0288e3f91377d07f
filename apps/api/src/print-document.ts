import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { randomBytes } from 'node:crypto';
import { AppModule } from './app.module';
import { readApiSettings } from './settings/config';
import { documentOf } from './documentation/openapi';

/** Settings for the names without a default. The document does not depend on them. */
const anySettings = () => ({
  SVC_DATABASE_URL: 'postgres://nobody:nothing@127.0.0.1/none',
  SVC_ENCRYPTION_KEY: randomBytes(32).toString('hex'),
  SVC_JWT_SECRET: randomBytes(32).toString('hex'),
  SVC_WORKER_TOKEN: randomBytes(32).toString('hex'),
});

/** Prints the OpenAPI document. Nest describes the parts of the api without making them, so no database is needed. */
export async function printDocument(): Promise<void> {
  const module = AppModule.forRoot(readApiSettings(anySettings()));
  const app = await NestFactory.create<NestFastifyApplication>(module, new FastifyAdapter(), {
    preview: true,
    logger: ['error'],
    abortOnError: false,
  });
  process.stdout.write(`${JSON.stringify(documentOf(app))}\n`);
}

import { schemaRef } from '@millrace/domain';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { DocumentBuilder, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import { WORKER_TOKEN_SCHEME } from '../auth/requires.decorator';
import { CONNECTION_SCHEMAS } from '../connections/connection-request';
import { TEST_RUN_SCHEMA } from '../runs/test-run-request';
import { TEMPLATE_SCHEMA } from '../templates/template-request';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { withSchemas, type ApiDocument } from './api-document';
import { nameForClients } from './client-names';
import { describeConventions, sayWhatIsPublic } from './conventions';
import { describeErrors } from './error-answers';
import { flowOperationSchemas } from './flow-operations';
import { describeRequests } from './request-examples';
import { describeRoutesOutside } from './routes-outside';
import { STEP_SCHEMAS } from './step-schemas';
import { describeTags } from './tags';
import { describeValidationRules } from './validation-rules';

const BEARER =
  'An access token of sign-in, an OAuth 2.0 access token of the issuer that the installation accepts, or an API key.';

/**
 * Serves the OpenAPI document, and a page that shows it. Both are plain routes, so no guard protects them. The document
 * is created at the first request, because it takes memory and most processes never serve it.
 */
export function serveDocumentation(app: NestFastifyApplication): void {
  let document: OpenAPIObject | undefined;
  let bytes: Buffer | undefined;
  const read = () => (document ??= documentOf(app));
  SwaggerModule.setup('api/docs', app, read, { raw: false });
  // Writing a megabyte of JSON takes many milliseconds, and anybody may ask for it.
  app.getHttpAdapter().get('/api/v1/openapi.json', (_request: FastifyRequest, reply: FastifyReply) => {
    bytes ??= Buffer.from(JSON.stringify(read()));
    void reply.type('application/json; charset=utf-8').send(bytes);
  });
}

/** Returns the complete document of the app. */
export function documentOf(app: NestFastifyApplication): OpenAPIObject {
  const description = new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle('Millrace')
    .setDescription('Flows, their versions and their runs. Every error answer is `{statusCode, code, params}`.')
    .setVersion('1')
    .setLicense('MIT', 'https://opensource.org/license/mit')
    .addServer('/')
    .addBearerAuth({ type: 'http', scheme: 'bearer', description: BEARER })
    .addBearerAuth(
      { type: 'http', scheme: 'bearer', description: 'The token that workers share with the api.' },
      WORKER_TOKEN_SCHEME,
    )
    .build();
  describeValidationRules();
  const document = SwaggerModule.createDocument(app, description);
  return complete(document as unknown as ApiDocument) as unknown as OpenAPIObject;
}

/** Adds what controllers and DTOs do not describe. */
const complete = (document: ApiDocument): ApiDocument =>
  [
    nameForClients,
    describeShapes,
    describeConventions,
    describeErrors,
    describeFlows,
    describeRequests,
    describeRoutesOutside,
    sayWhatIsPublic,
    describeTags,
  ].reduce((described, describe) => describe(described), document);

/** Describes the bodies that are no DTOs. */
const describeShapes = (document: ApiDocument): ApiDocument =>
  withSchemas(document, { ...CONNECTION_SCHEMAS, CreateTemplate: TEMPLATE_SCHEMA, StartTestRun: TEST_RUN_SCHEMA });

/** Describes steps and flow operations. Domain rules check them, so no DTO describes them. */
function describeFlows(document: ApiDocument): ApiDocument {
  const { FlowOperation: _stands, FlowVersion: version, ...schemas } = document.components.schemas;
  const properties = version?.['properties'] as object | undefined;
  return withSchemas(
    { ...document, components: { ...document.components, schemas } },
    {
      ...STEP_SCHEMAS,
      ...flowOperationSchemas(),
      FlowVersion: { ...version, properties: { ...properties, trigger: schemaRef('StoredTrigger') } },
    },
  );
}

import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { DocumentBuilder, SwaggerModule } from '@nestjs/swagger';

/** The description of the interface, for programs and for people. Both are plain routes: no guard stands before them. */
export function serveDocumentation(app: NestFastifyApplication): void {
  const description = new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle('Millrace')
    .setDescription('Flows, their versions and their runs.')
    .setVersion('1')
    .addBearerAuth()
    .build();
  const document = SwaggerModule.createDocument(app, description, { operationIdFactory });
  SwaggerModule.setup('api/docs', app, document, { jsonDocumentUrl: 'api/v1/openapi.json', raw: ['json'] });
}

/** `flows.create`; a bundler may have added to the class's name. */
const operationIdFactory = (controller: string, method: string): string =>
  `${controller.replace(/^_|Controller\d*$/g, '').toLowerCase()}.${method}`;

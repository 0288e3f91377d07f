import { JSON_TYPE, mapOperations, schemaRef, type ApiContent, type ApiDocument } from './api-document';
import { flowOperationExamples } from './flow-operations';

const projectId = '01935f2e-8d1c-7c3a-9a52-3f1f0e6f4c10';

const trigger = { name: 'trigger', displayName: 'Select Trigger', type: 'EMPTY', settings: {} };

/** A body for each route that takes one, but for flow operations, which have many. */
const EXAMPLES: Readonly<Record<string, unknown>> = {
  'POST /api/v1/authentication/sign-in': { email: 'ada@example.com', password: 'correct horse battery' },
  'POST /api/v1/projects': { displayName: 'Logistics' },
  'POST /api/v1/projects/{id}': { displayName: 'Logistics and returns' },
  'POST /api/v1/api-keys': { displayName: 'Deployment', projectId, expiresAt: '2030-01-01T00:00:00.000Z' },
  'POST /api/v1/flows': { displayName: 'Orders to the warehouse', projectId, metadata: { team: 'logistics' } },
  'POST /api/v1/folders': { displayName: 'Orders', projectId },
  'POST /api/v1/folders/{id}': { displayName: 'Orders and returns' },
  'POST /api/v1/templates': {
    projectId,
    name: 'Empty flow',
    description: 'A flow to begin with.',
    template: { displayName: 'Empty flow', trigger, schemaVersion: '20', notes: [] },
  },
};

/** Gives every request body an example. */
export function describeRequests(document: ApiDocument): ApiDocument {
  return mapOperations(document, ({ name, operation }) => {
    const content = operation.requestBody?.content[JSON_TYPE];
    if (!content) return operation;
    return { ...operation, requestBody: { required: true, content: { [JSON_TYPE]: described(name, content) } } };
  });
}

function described(route: string, content: ApiContent): ApiContent {
  if (route === 'POST /api/v1/flows/{id}')
    return { schema: schemaRef('FlowOperation'), examples: flowOperationExamples() };
  const example = EXAMPLES[route];
  return example === undefined ? content : { ...content, example };
}

import type { ApiDocument } from './api-document';
import { nameForClients } from './client-names';

const documentOf = (route: string, schemas: ApiDocument['components']['schemas'] = {}): ApiDocument => {
  const [method = '', path = ''] = route.split(' ');
  const schema = { $ref: '#/components/schemas/FlowRunDto' };
  const responses = { 200: { description: 'x', content: { 'application/json': { schema } } } };
  return {
    paths: { [path]: { [method.toLowerCase()]: { operationId: 'runretries.retry', responses } } },
    components: { schemas },
  };
};

const operationOf = (route: string) => {
  const [method = '', path = ''] = route.split(' ');
  return nameForClients(documentOf(route)).paths[path]?.[method.toLowerCase()];
};

describe('the names of operations and schemas', () => {
  it.each([
    ['POST /api/v1/flow-runs/{id}/retry', 'flowRuns.retry'],
    ['POST /api/v1/flow-runs/retry', 'flowRuns.retryMany'],
    ['POST /api/v1/flow-runs/cancel', 'flowRuns.cancel'],
    ['POST /api/v1/flows/{id}/run', 'flows.run'],
    ['POST /api/v1/flows/{id}/test-run', 'flows.testRun'],
    ['POST /api/v1/flow-runs/{id}/requests/{requestId}/sync', 'flowRuns.answerRequestSync'],
  ])('call %s %s, whatever class serves it', (route, operationId) => {
    expect(operationOf(route)?.operationId).toBe(operationId);
  });

  it('refuse a route that nobody has named', () => {
    expect(() => nameForClients(documentOf('GET /api/v1/novelties'))).toThrow('GET /api/v1/novelties');
  });

  it('leave out that a schema is a class, also where it is referred to', () => {
    const named = nameForClients(
      documentOf('GET /api/v1/flow-runs/{id}', {
        FlowRunDto: { properties: { failedStep: { $ref: '#/components/schemas/FailedStepDto2' } } },
        FailedStepDto2: {},
        CancelledDto: {},
      }),
    );
    expect(named.components.schemas).toEqual({
      FlowRun: { properties: { failedStep: { $ref: '#/components/schemas/FailedStep' } } },
      FailedStep: {},
      CancelledRuns: {},
    });
    expect(JSON.stringify(named)).not.toContain('Dto');
  });

  it('give no two schemas one name', () => {
    const schemas = { FlowDto: {}, Flow: {} };
    expect(() => nameForClients(documentOf('GET /api/v1/flows', schemas))).toThrow('Flow');
  });
});

import { FLOW_OPERATION_TYPES, parseFlowOperation } from '@millrace/domain';
import { BuiltInPieces } from '@millrace/pieces';
import { flowOperationExamples, flowOperationSchemas } from './flow-operations';

describe('the description of flow operations', () => {
  it.each(FLOW_OPERATION_TYPES)('shows an example of %s that the service takes', (type) => {
    const { summary, value } = flowOperationExamples()[type] ?? {};
    expect(summary).toMatch(/\.$/);
    expect(parseFlowOperation(value).type).toBe(type);
  });

  it('names the versions that the pieces have', () => {
    const text = JSON.stringify(flowOperationExamples());
    const named = [...text.matchAll(/"pieceName":"(\w+)","pieceVersion":"([\d.]+)"/g)];
    expect(named.length).toBeGreaterThan(1);
    for (const [, name = '', version] of named) expect(new BuiltInPieces().find(name)?.version).toBe(version);
  });

  it('has a schema for each type of operation', () => {
    const { FlowOperation, ...operations } = flowOperationSchemas();
    expect(Object.keys(operations)).toHaveLength(FLOW_OPERATION_TYPES.length);
    expect(operations['ChangeStatusOperation']).toMatchObject({
      required: ['type', 'request'],
      properties: { type: { enum: ['CHANGE_STATUS'] }, request: { properties: { status: {} } } },
    });
    expect(FlowOperation).toMatchObject({
      discriminator: { mapping: { LOCK_AND_PUBLISH: '#/components/schemas/LockAndPublishOperation' } },
    });
  });
});

import { parseFlowOperation } from '@millrace/domain';
import { codeStep } from '@millrace/domain/testing';
import { Ajv2020 } from 'ajv/dist/2020';
import { flowOperationSchemas } from './flow-operations';
import { STEP_SCHEMAS } from './step-schemas';

const schemas = { ...STEP_SCHEMAS, ...flowOperationSchemas() };
const ajv = new Ajv2020({ strict: false });
ajv.addSchema({ components: { schemas } }, 'document');
const allows = ajv.compile({ $ref: 'document#/components/schemas/FlowOperation' });

const isTaken = (operation: unknown): boolean => {
  try {
    parseFlowOperation(operation);
    return true;
  } catch {
    return false;
  }
};

const importing = (request: object) => ({ type: 'IMPORT_FLOW', request });
const branch = { name: 'is_big', type: 'BRANCH', settings: { conditions: [[{ firstValue: 1, operator: 'EXISTS' }]] } };
const old = { displayName: 'Old', trigger: { name: 'trigger', type: 'WEBHOOK', settings: {}, nextAction: branch } };
const version = { id: 'v', state: 'LOCKED', valid: true, ...old, schemaVersion: null, notes: null };
const update = (trigger: object) => ({
  type: 'UPDATE_TRIGGER',
  request: { type: 'PIECE_TRIGGER', settings: {}, ...trigger },
});
const adding = (action: object) => ({
  type: 'ADD_ACTION',
  request: { parentStep: 'trigger', action: { name: 'step_1', ...action } },
});
const code = (settings: object) => adding({ type: 'CODE', settings });
const router = (branch: object) => adding({ type: 'ROUTER', settings: { branches: [branch] }, children: [null] });

describe('the description of steps', () => {
  it.each<[string, object]>([
    ['code without packages', code({ sourceCode: { code: 'export const code = () => 1;' } })],
    ['no code yet', code({ input: { a: 1 } })],
    ['no settings', adding({ type: 'CODE' })],
    ['a step as an answer has it', adding({ ...codeStep('step_1'), valid: true, skip: false, nextAction: null })],
    ['a trigger without settings', update({ settings: undefined })],
    ['a trigger without a name', update({ settings: { pieceName: 'webhook', triggerName: 'catch_webhook' } })],
    ['a trigger with its sample data', update({ settings: { sampleData: { outputSavedAt: 'x' } }, valid: true })],
    ['a router with no way chosen', adding({ type: 'ROUTER' })],
    ['a branch without a name', router({ branchType: 'CONDITION', conditions: [[{}]] })],
    ['a way out without a name', router({ branchType: 'FALLBACK' })],
    ['a loop over nothing yet', adding({ type: 'LOOP_ON_ITEMS', settings: {}, firstLoopAction: null })],
    ['a failure option that is not set', code({ errorHandlingOptions: { retryOnFailure: {} } })],
    ['an import of old shapes', importing({ ...old, schemaVersion: '1', notes: [{ content: 'x' }] })],
    ['an import of a whole version', importing(version)],
    ['an import of a template', importing({ id: 't', name: 'Old', template: { trigger: old.trigger }, tags: [] })],
    ['an import of an export', importing({ name: 'Old', flows: [version], tables: [] })],
  ])('allows what the service takes: %s', (_what, operation) => {
    expect(isTaken(operation)).toBe(true);
    expect([allows(operation), allows.errors]).toEqual([true, null]);
  });

  it.each<[string, object]>([
    ['a trigger that is skipped', update({ skip: true })],
    ['an unknown member of a trigger', update({ colour: 'red' })],
    ['an unknown member of a step', adding({ type: 'CODE', settings: {}, colour: 'red' })],
    ['an unknown setting', code({ colour: 'red' })],
    ['an unknown member of code', code({ sourceCode: { colour: 'red' } })],
    ['settings of a trigger that is not chosen', update({ type: 'EMPTY', settings: { pieceName: 'http' } })],
    ['a step without a type', adding({})],
    ['a step without a name', adding({ name: undefined, type: 'CODE' })],
    ['an import of nothing', importing({})],
    ['an import without a name', importing({ trigger: old.trigger })],
    ['an import of no flow', importing({ name: 'Old', flows: [] })],
    ['an import of a trigger that is none', importing({ ...old, trigger: 'WEBHOOK' })],
    ['an unknown member of an import', importing({ ...old, colour: 'red' })],
    ['an unknown member around an import', importing({ template: old, colour: 'red' })],
  ])('refuses what the service refuses: %s', (_what, operation) => {
    expect(isTaken(operation)).toBe(false);
    expect(allows(operation)).toBe(false);
  });
});

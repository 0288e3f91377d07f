import { InvalidRequestError } from '../../errors/invalid-request.error';
import { aFlowOfAllKinds } from '../../testing/a-flow-of-all-kinds';
import { codeStep, webhookTrigger } from '../../testing/a-flow-version';
import { exportTemplate } from '../export-template';
import { aDraft, aFlowWithDraft } from '../testing/a-draft';
import { applyOperation as apply } from '../testing/an-operation-context';
import { findStep } from '../step-tree';
import { parseFlowOperation } from './flow-operation';

describe('IMPORT_FLOW', () => {
  const original = aFlowOfAllKinds(50);
  const template = exportTemplate(original, new Date());

  it('takes an export, and clears the sample data of the flow', async () => {
    const { version, sampleData } = await apply(aFlowWithDraft(), 'IMPORT_FLOW', template);
    expect(version).toMatchObject({ displayName: original.displayName, notes: original.notes, schemaVersion: '20' });
    expect(version.trigger.nextAction?.name).toBe('step_1');
    expect(sampleData).toEqual({ kind: 'clear' });
  });

  it('keeps the sample data of the steps whose names stay, when it is asked to', async () => {
    const marks = { outputSavedAt: '2026-01-01T00:00:00.000Z' };
    const marked = (name: string, sampleData?: object) => {
      const step = codeStep(name);
      return { ...step, settings: { ...step.settings, ...(sampleData && { sampleData }) } };
    };
    const now = webhookTrigger([marked('kept', marks), marked('gone', marks)]);
    const current = aFlowWithDraft({ version: aDraft({ trigger: now }) });
    const trigger = webhookTrigger([marked('new', { outputSavedAt: 'elsewhere' }), marked('kept')]);
    const request = { displayName: 'Imported', trigger, keepSampleData: true };

    const { version, sampleData } = await apply(current, 'IMPORT_FLOW', request);

    expect(findStep(version.trigger, 'kept')?.settings).toMatchObject({ sampleData: marks });
    expect(findStep(version.trigger, 'new')?.settings).not.toHaveProperty('sampleData');
    expect(sampleData).toEqual({ kind: 'forget', stepNames: ['gone'] });
  });

  it('says which steps it brings, migrated', () => {
    const trigger = { type: 'WEBHOOK', nextAction: { type: 'BRANCH', name: 'b' } };
    const { brings } = parseFlowOperation({ type: 'IMPORT_FLOW', request: { displayName: 'x', trigger } });
    expect(brings?.nextAction).toMatchObject({ type: 'ROUTER', children: [null, null] });
  });

  it('refuses unknown fields around an export and what is wrong in its steps, all at once', () => {
    const trigger = { type: 'EMPTY', nextAction: { type: 'NO_SUCH', name: 'a' } };
    const request = { ...template, template: { ...template.template, trigger }, colour: 'red' };
    expect(() => parseFlowOperation({ type: 'IMPORT_FLOW', request })).toThrow(InvalidRequestError);
    expect(() => parseFlowOperation({ type: 'IMPORT_FLOW', request })).toThrow(
      expect.objectContaining({
        params: {
          errors: [
            expect.objectContaining({ path: '/request/template/trigger/nextAction/type' }),
            { path: '/request/colour', message: 'is not a known field.' },
          ],
        },
      }),
    );
  });
});

import { FlowInUseError } from '../errors/flow-in-use.error';
import { aDraft, aFlowWithDraft } from './testing/a-draft';
import { assertNotInUse } from './edit-guard';

const current = aFlowWithDraft({ updatedBy: 'user_1', updated: new Date('2026-01-01T10:00:00.000Z') });

describe('assertNotInUse', () => {
  it('refuses another principal for a minute, and says until when', () => {
    const attempt = (): void => assertNotInUse(current, 'api_key:1', new Date('2026-01-01T10:00:59.999Z'));
    expect(attempt).toThrow(FlowInUseError);
    expect(attempt).toThrow('2026-01-01T10:01:00.000Z');
  });

  it('lets the same principal go on, and anyone after a minute', () => {
    expect(() => assertNotInUse(current, 'user_1', new Date('2026-01-01T10:00:01.000Z'))).not.toThrow();
    expect(() => assertNotInUse(current, 'user_2', new Date('2026-01-01T10:01:00.000Z'))).not.toThrow();
  });

  it('goes by the change of the flow, whenever its version was changed', () => {
    const version = aDraft({ updated: new Date('2026-01-01T08:00:00.000Z'), updatedBy: 'user_2' });
    const attempt = (): void => assertNotInUse({ ...current, version }, 'user_2', new Date('2026-01-01T10:00:01.000Z'));
    expect(attempt).toThrow(FlowInUseError);
  });
});

import { FlowInUseError } from '../errors/flow-in-use.error';
import { aDraft } from './testing/a-draft';
import { assertNotInUse } from './edit-guard';

const latest = aDraft({ updatedBy: 'user_1', updated: new Date('2026-01-01T10:00:00.000Z') });

describe('assertNotInUse', () => {
  it('refuses another principal for a minute, and says until when', () => {
    const attempt = (): void => assertNotInUse(latest, 'api_key:1', new Date('2026-01-01T10:00:59.999Z'));
    expect(attempt).toThrow(FlowInUseError);
    expect(attempt).toThrow('2026-01-01T10:01:00.000Z');
  });

  it('lets the same principal go on, and anyone after a minute', () => {
    expect(() => assertNotInUse(latest, 'user_1', new Date('2026-01-01T10:00:01.000Z'))).not.toThrow();
    expect(() => assertNotInUse(latest, 'user_2', new Date('2026-01-01T10:01:00.000Z'))).not.toThrow();
  });
});

import { PieceCatalogue, TriggerRegistrationError, type CatalogueTrigger, type LiveTrigger } from '@millrace/domain';
import { aFlowVersion } from '@millrace/domain/testing';
import { BuiltInPieces } from '@millrace/pieces';
import { BuiltInTriggers } from './trigger-registrations';

const { trigger } = aFlowVersion();
const live: LiveTrigger = { flowId: 'flow_1', projectId: 'project_1', flowVersionId: 'version_1', trigger };

class OnlySchedules extends PieceCatalogue {
  findTrigger = () => ({ resultType: 'SCHEDULE' }) as CatalogueTrigger;
  findAction = () => null;
}
class NoPieces extends PieceCatalogue {
  findTrigger = () => null;
  findAction = () => null;
}

describe('BuiltInTriggers', () => {
  it('have nothing to do for a webhook, which the gateway hears by itself', async () => {
    const triggers = new BuiltInTriggers(new BuiltInPieces());
    await expect(triggers.register(live)).resolves.toBeUndefined();
    await expect(triggers.unregister(live)).resolves.toBeUndefined();
  });

  it.each([
    ['a kind that nothing listens to', new OnlySchedules(), live],
    ['a piece that is not known', new NoPieces(), live],
    ['no kind at all', new BuiltInPieces(), { ...live, trigger: { ...trigger, type: 'EMPTY' as const, settings: {} } }],
  ])('refuse to register a trigger of %s, and let it go', async (_what, pieces, unheard) => {
    const triggers = new BuiltInTriggers(pieces);
    await expect(triggers.register(unheard)).rejects.toThrow(TriggerRegistrationError);
    await expect(triggers.unregister(unheard)).resolves.toBeUndefined();
  });
});

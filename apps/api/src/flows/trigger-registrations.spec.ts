import { PieceCatalogue, TriggerRegistrationError, type LiveTrigger } from '@millrace/domain';
import { aFlowVersion } from '@millrace/domain/testing';
import { BuiltInPieces } from '@millrace/pieces';
import { BuiltInTriggers } from './trigger-registrations';

const { trigger } = aFlowVersion();
const live: LiveTrigger = { flowId: 'flow_1', projectId: 'project_1', flowVersionId: 'version_1', trigger };

class NoPieces extends PieceCatalogue {
  findTrigger = () => null;
  findAction = () => null;
  hasPiece = () => false;
}

describe('BuiltInTriggers', () => {
  it.each([
    ['a webhook, which the gateway hears by itself', 'webhook', 'catch_webhook'],
    ['a callable flow, which its callers look up', 'subflows', 'callable_flow'],
    ['a trigger by hand', 'manual', 'manual_trigger'],
    ['named events, which are on record', 'events', 'on_event'],
  ])('have nothing to do for %s', async (_what, pieceName, triggerName) => {
    const triggers = new BuiltInTriggers(new BuiltInPieces());
    const heard = { ...trigger, settings: { ...trigger.settings, pieceName, triggerName } } as LiveTrigger['trigger'];
    await expect(triggers.register({ ...live, trigger: heard })).resolves.toBeUndefined();
    await expect(triggers.unregister({ ...live, trigger: heard })).resolves.toBeUndefined();
  });

  it.each([
    ['a piece that is not known', new NoPieces(), live],
    ['no kind at all', new BuiltInPieces(), { ...live, trigger: { ...trigger, type: 'EMPTY' as const, settings: {} } }],
  ])('refuse to register a trigger of %s, and let it go', async (_what, pieces, unheard) => {
    const triggers = new BuiltInTriggers(pieces);
    await expect(triggers.register(unheard)).rejects.toThrow(TriggerRegistrationError);
    await expect(triggers.unregister(unheard)).resolves.toBeUndefined();
  });
});

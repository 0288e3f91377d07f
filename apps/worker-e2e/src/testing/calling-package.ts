import type { PieceAction } from '@millrace/domain';
import { pieceStep } from '@millrace/domain/testing';
import { installPackage, type ServiceClient } from '@millrace/e2e-support';

const REF = { name: '@millrace-tests/piece-caller', version: '1.0.0' };

/** A package whose action posts the id of its run to a URL. */
const SOURCE = `
const call = {
  displayName: 'Call', description: '', requireAuth: false,
  props: { url: { type: 'SHORT_TEXT', displayName: 'URL', required: true } },
  run: async ({ propsValue, run }) => {
    const headers = { 'idempotency-key': run.id };
    return (await fetch(propsValue.url, { method: 'POST', headers })).json();
  },
};
const actions = { call };
exports.caller = {
  metadata: () => ({ displayName: 'Caller', description: '', actions, triggers: {} }),
  actions: () => actions, triggers: () => ({}),
  getAction: (name) => actions[name], getTrigger: () => undefined,
  getContextInfo: () => ({ version: '2' }),
};`;

/** Installs the package. Its action is made a step by `callingStep`. */
export const installCallingPackage = (client: ServiceClient): Promise<void> => installPackage(client, REF.name, SOURCE);

export function callingStep(url: string): PieceAction {
  const step = pieceStep('call', { url });
  const settings = { ...step.settings, pieceName: REF.name, pieceVersion: REF.version, actionName: 'call' };
  return { ...step, settings };
}

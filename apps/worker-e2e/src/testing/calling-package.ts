import { gzipSync } from 'node:zlib';
import type { PieceAction } from '@millrace/domain';
import { pieceStep } from '@millrace/domain/testing';
import { pack } from 'tar-stream';

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

/** The archive of a private package. Its action is made a step by `callingStep`. */
export async function callingPackage(): Promise<Buffer> {
  const archive = pack();
  archive.entry({ name: 'package/package.json' }, JSON.stringify({ ...REF, main: 'index.js' }));
  archive.entry({ name: 'package/index.js' }, SOURCE);
  archive.finalize();
  const pieces: Buffer[] = [];
  for await (const piece of archive as AsyncIterable<Buffer>) pieces.push(piece);
  return gzipSync(Buffer.concat(pieces));
}

export function callingStep(url: string): PieceAction {
  const step = pieceStep('call', { url });
  const settings = { ...step.settings, pieceName: REF.name, pieceVersion: REF.version, actionName: 'call' };
  return { ...step, settings };
}

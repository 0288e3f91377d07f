// The workload of an action of a package: a private one that this file makes, and that calls a server on this machine.
import { gzipSync } from 'node:zlib';
import { pack } from 'tar-stream';
import { builtIn, trigger } from '../flow-steps.mjs';
import { startTarget } from './target-server.mjs';

const MANIFEST = { name: '@millrace-bench/piece-caller', version: '1.0.0', main: 'index.js' };

const SOURCE = `
const call = {
  name: 'call', displayName: 'Call', description: '', requireAuth: false,
  props: { url: { type: 'SHORT_TEXT', displayName: 'URL', required: true } },
  run: async ({ propsValue }) => (await fetch(propsValue.url, { method: 'POST', body: '{}' })).json(),
};
const actions = { call };
exports.caller = {
  displayName: 'Caller',
  metadata: () => ({ displayName: 'Caller', description: '', actions, triggers: {} }),
  actions: () => actions, triggers: () => ({}),
  getAction: (name) => actions[name], getTrigger: () => undefined,
  getContextInfo: () => ({ version: '2' }),
};`;

async function archiveOf(files) {
  const archive = pack();
  for (const [name, text] of Object.entries(files)) archive.entry({ name: `package/${name}` }, text);
  archive.finalize();
  const pieces = [];
  for await (const piece of archive) pieces.push(piece);
  return gzipSync(Buffer.concat(pieces));
}

async function install(service) {
  const answer = await fetch(`${service.base}/api/v1/pieces/archives`, {
    method: 'POST',
    headers: { authorization: `Bearer ${service.credentials.apiKey}`, 'content-type': 'application/gzip' },
    body: await archiveOf({ 'package.json': JSON.stringify(MANIFEST), 'index.js': SOURCE }),
  });
  if (!answer.ok) throw new Error(`The package was not installed: ${answer.status} ${await answer.text()}`);
}

/** Installs the package, and returns the trigger of the workload, and how to end the server that it calls. */
export async function preparePackageCalls(service) {
  await install(service);
  const { url, stop } = await startTarget();
  const step = builtIn('step_1', MANIFEST.name, 'call', { url });
  return {
    trigger: trigger({ ...step, settings: { ...step.settings, pieceVersion: MANIFEST.version } }),
    stop,
  };
}

import { AddressGuard } from '@millrace/http';
import { PackageHosts, type PackageHostSettings } from './package-hosts';
import { WorkerPackageCalls } from './worker-package-calls';

const OFF: PackageHostSettings = {
  SVC_PIECE_PACKAGES: 'off',
  SVC_PIECE_ISOLATION: 'required',
  SVC_PIECE_MEMORY_LIMIT: 512,
  SVC_PIECE_HOSTS: 8,
  SVC_PIECE_TIMEOUT_SECONDS: 120,
  SVC_OUTBOUND_CA_FILE: undefined,
};
const SENTENCE = 'Packages of pieces are switched off by SVC_PIECE_PACKAGES.';
const { signal } = new AbortController();

/** What is not asked for anything. */
const untouched = <Port>(): Port => ({}) as Port;

describe('a worker whose packages are switched off', () => {
  it('starts whatever walls there are, and calls none', async () => {
    const hosts = await PackageHosts.start(OFF, untouched<AddressGuard>());
    const calls = new WorkerPackageCalls(untouched(), untouched(), untouched(), hosts);
    const piece = { name: '@acme/piece-notes', version: '1.0.0' };

    const call = calls.call({ piece, projectId: 'p', request: {}, services: {}, signal });

    await expect(call).rejects.toThrow(SENTENCE);
    await expect(hosts.describe('folder', 'index.js', signal)).rejects.toThrow(SENTENCE);
    await hosts.onApplicationShutdown();
  });
});

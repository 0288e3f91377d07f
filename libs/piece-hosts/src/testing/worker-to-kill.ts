/** A process with a host that is busy for ever, for a test that kills it. It says when the host runs its call. */
import { HostProcess } from '../process/host-process';
import { findWalls } from '../walls/find-walls';

const [program = '', packageFolder = ''] = process.argv.slice(2);

async function work(): Promise<void> {
  const host = await HostProcess.start({
    walls: await findWalls(),
    program,
    limits: { memoryMb: 256, connections: 1, bytesOfCall: 1 },
    resolve: () => Promise.reject(new Error('There is no target.')),
  });
  await host.load(packageFolder, 'index.js', { services: {}, timeoutMs: 60_000 });
  const call = host.run({ kind: 'action', action: 'act', input: {} }, { services: {}, timeoutMs: 600_000 });
  process.stdout.write('runs');
  await call;
}

void work();

/** Entry of a sandbox thread. It is a file of its own in the built app: `isolate-thread.cjs` beside `main.cjs`. */
import { parentPort, workerData } from 'node:worker_threads';
import { IsolateCrew } from './isolate-crew';
import { accountOfThisThread, ownCpu } from './thread-cpu';
import type { FromThread, ThreadReady, ThreadSettings, ToThread } from './thread-protocol';

const port = parentPort;
if (!port) throw new Error('isolate-thread runs as a worker thread of the sandbox only.');

const cpuAccount = accountOfThisThread();
const post = (message: ThreadReady | FromThread) => port.postMessage(message);
const crew = new IsolateCrew(workerData as ThreadSettings, ownCpu(cpuAccount), post);
void crew.hire().then(() => {
  port.on('message', (message: ToThread) =>
    typeof message === 'number' ? crew.withdraw(message) : crew.accept(message),
  );
  post({ cpuAccount });
});

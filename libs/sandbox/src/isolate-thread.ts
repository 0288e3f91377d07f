/** The entry of a sandbox thread. It is a file of its own in the built app: `isolate-thread.cjs` beside `main.cjs`. */
import { parentPort, workerData } from 'node:worker_threads';
import { IsolatePool } from './isolate-pool';
import { accountOfThisThread, ownCpu } from './thread-cpu';
import type { FromThread, ThreadReady, ThreadSettings, ToThread } from './thread-protocol';

const port = parentPort;
if (!port) throw new Error('isolate-thread runs as a worker thread of the sandbox only.');

const cpuAccount = accountOfThisThread();
const post = (message: ThreadReady | FromThread) => port.postMessage(message);
const pool = new IsolatePool(workerData as ThreadSettings, ownCpu(cpuAccount), post);
void pool.addIsolate().then(() => {
  port.on('message', (message: ToThread) =>
    typeof message === 'number' ? pool.withdraw(message) : pool.accept(message),
  );
  post({ cpuAccount });
});

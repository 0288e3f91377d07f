/** Entry of a sandbox thread. It is a file of its own in the built app: `isolate-thread.cjs` beside `main.cjs`. */
import { parentPort, workerData } from 'node:worker_threads';
import { IsolateCrew } from './isolate-crew';
import type { ThreadSettings, ToThread } from './thread-protocol';

const port = parentPort;
if (!port) throw new Error('isolate-thread runs as a worker thread of the sandbox only.');

const crew = new IsolateCrew(workerData as ThreadSettings, (message) => port.postMessage(message));
void crew.hire().then(() => {
  port.on('message', (message: ToThread) =>
    typeof message === 'number' ? crew.withdraw(message) : crew.accept(message),
  );
  port.postMessage('ready');
});

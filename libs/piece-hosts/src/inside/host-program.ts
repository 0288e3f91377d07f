/** The program of a piece host. It loads one package, and runs what its worker asks for. */
import { sentError } from '../process/messages';
import { createRequire } from 'node:module';
import { replaceConnections } from './egress';
import type { PieceRequest } from './requests';
import { runRequest } from './run-request';
import { WorkerChannel } from './worker-channel';

const MEGABYTE = 1024 * 1024;
let loaded: unknown;

const channel = new WorkerChannel((message) => {
  void act(message.id, async () => {
    if (message.type === 'call') return runRequest(loaded, message.request as PieceRequest, ask);
    loaded = createRequire(message.file)(message.file);
    return null;
  });
});
const ask = channel.ask.bind(channel);

const memoryMb = (): number => Math.ceil(process.memoryUsage.rss() / MEGABYTE);

async function act(id: number, work: () => Promise<unknown>): Promise<void> {
  try {
    const value = (await work()) ?? null;
    channel.send({ type: 'result', id, value, memoryMb: memoryMb() });
  } catch (error) {
    channel.send({ type: 'result', id, error: sentError(error), memoryMb: memoryMb() });
  }
}

replaceConnections(async (host, port) => String(await ask('openWay', host, port)));
channel.send({ type: 'ready' });

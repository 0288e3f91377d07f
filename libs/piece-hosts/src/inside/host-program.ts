/** The program of a piece host. It loads one package, and runs what its worker asks for. */
import { createRequire, syncBuiltinESMExports } from 'node:module';
import v8 from 'node:v8';
import { BuiltInPrototypes } from './built-in-prototypes';
import { boundClients } from './bounded-clients';
import { replaceConnections } from './egress';
import { Line } from '../process/line';
import { replaceNames } from './names';
import type { HostCondition } from '../process/messages';
import type { Ask, PieceRequest } from './requests';
import { pieceOf, type LoadedPiece } from './piece-module';
import { runRequest } from './run-request';
import { thrownError, unsentAnswer } from './thrown-error';
import { WorkerChannel } from './worker-channel';

const MEGABYTE = 1024 * 1024;
/** Each waits in the worker until it is connected, and what a piece asks for beside them has to have room there, too. */
const WAYS_AT_ONCE = { entries: 24 };
let loaded: LoadedPiece | null = null;
/** What they were once the package was loaded, which may add to them. */
let prototypes = new BuiltInPrototypes();
/** The call that runs now, or ran last. */
let current = 0;

const channel = new WorkerChannel((message) => {
  current = message.id;
  void act(message.id, async () => {
    if (message.type === 'call') return runRequest(loaded, message.request as PieceRequest, askFor(message.id));
    loaded = pieceOf(createRequire(message.file)(message.file));
    prototypes = new BuiltInPrototypes();
    return null;
  });
});

/** What a piece asks for belongs to the call that it got the context from, however late it asks. */
const askFor =
  (id: number): Ask =>
  (service, ...args) =>
    channel.ask(id, service, args);

async function act(id: number, work: () => Promise<unknown>): Promise<void> {
  try {
    const value = (await work()) ?? null;
    sendResult(id, value);
  } catch (error) {
    channel.send({ type: 'result', id, error: thrownError(error), ...condition() });
  } finally {
    channel.endCall();
  }
}

/** Throws why the answer was not sent. */
function sendResult(id: number, value: unknown): void {
  try {
    channel.send({ type: 'result', id, value, ...condition() });
  } catch (error) {
    throw unsentAnswer(error);
  }
}

/** How the process is after a call. */
const condition = (): HostCondition => ({ memoryMb: memoryMb(), isHarmed: prototypes.haveChanged });

/** How much memory there is now, or where there is no /proc, the most that there was. */
function memoryMb(): number {
  try {
    return Math.ceil(process.memoryUsage.rss() / MEGABYTE);
  } catch {
    return Math.ceil(process.resourceUsage().maxRSS / 1_024);
  }
}

replaceConnections(
  async (host, port) => String(await channel.askNow(current, 'openWay', [host, port])),
  new Line(WAYS_AT_ONCE),
);
boundClients();
replaceNames((kind, name) => channel.ask(current, 'lookUp', [kind, name]));
// Some flags of V8 write files, past Node's permission model.
v8.setFlagsFromString = () => {
  throw new Error('A piece cannot set flags of V8.');
};
// Modules that import these functions by their names get the replaced ones.
syncBuiltinESMExports();
channel.send({ type: 'ready' });

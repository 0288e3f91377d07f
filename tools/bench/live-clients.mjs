// Measures W1 while ten clients watch its project, and while nobody does, in turn.
import { io } from 'socket.io-client';
import { throughput } from './measure.mjs';

const CLIENTS = 10;
const PAIRS = 5;
const WARM_UP = 12_000;
const RUNS = 8_000;
const CONNECTIONS = 64;

/** Returns the medians of the windows with and without clients, and what the clients got in a second. */
export async function liveClients(service, db, flow) {
  await throughput(service, db, flow, { amount: WARM_UP, connections: CONNECTIONS });
  const windows = { alone: [], watched: [] };
  const messages = [];
  for (let pair = 0; pair < PAIRS; pair++) {
    // The order changes, so that neither kind always comes after the other.
    for (const kind of pair % 2 === 0 ? ['alone', 'watched'] : ['watched', 'alone']) {
      const clients = kind === 'watched' ? await watch(service) : [];
      const startedAt = performance.now();
      windows[kind].push(await throughput(service, db, flow, { amount: RUNS, connections: CONNECTIONS }));
      const seconds = (performance.now() - startedAt) / 1_000;
      for (const { socket, got } of clients) {
        socket.close();
        messages.push(got.messages / seconds);
      }
    }
  }
  return {
    clients: CLIENTS,
    alone: mediansOf(windows.alone),
    watched: mediansOf(windows.watched),
    messagesPerSecond: Number(Math.max(...messages).toFixed(2)),
  };
}

function watch({ base, credentials }) {
  const { apiKey: token, projectId } = credentials;
  return Promise.all(
    Array.from({ length: CLIENTS }, async () => {
      const transports = ['websocket'];
      const socket = io(base, { path: '/api/socket.io', transports, auth: { token, projectId }, forceNew: true });
      const got = { messages: 0 };
      socket.onAny(() => got.messages++);
      const { error } = await socket.timeout(5_000).emitWithAck('subscribe', 'project');
      if (error) throw new Error(error.params.message);
      return { socket, got };
    }),
  );
}

function mediansOf(windows) {
  const medianOf = (of) => windows.map(of).sort((a, b) => a - b)[Math.floor(windows.length / 2)];
  return {
    finishedPerSecond: medianOf((window) => window.finishedPerSecond),
    each: windows.map(({ finishedPerSecond }) => finishedPerSecond),
    cpuMsPerRun: medianOf((window) => window.cpuMsPerRun),
    cpuUsPerRunByProcess: Object.fromEntries(
      Object.keys(windows[0].cpuUsPerRunByProcess).map((role) => [
        role,
        medianOf((window) => window.cpuUsPerRunByProcess[role]),
      ]),
    ),
    notSucceeded: windows.reduce((sum, { notSucceeded, refused }) => sum + notSucceeded + refused, 0),
  };
}

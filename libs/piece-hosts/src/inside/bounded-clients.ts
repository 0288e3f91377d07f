import http from 'node:http';
import https from 'node:https';

/**
 * How many connections a client of HTTP has to one server. Node's own have as many as there are requests, and keep each
 * for some seconds, while others would wait for their place. Half of what a piece may have leaves room for other servers.
 */
const MOST_TO_SERVER = 25;

/** Makes Node's clients of HTTP send further requests over the connections that they have. */
export function boundClients(): void {
  // The types lack what is set here.
  Object.assign(http.Agent, { defaultMaxSockets: MOST_TO_SERVER });
  for (const { globalAgent } of [http, https]) globalAgent.maxSockets = MOST_TO_SERVER;
  boundFetch();
}

/** `fetch` takes its connections from this object, which Node makes with the first use of anything of `fetch`. */
const DISPATCHER = Symbol.for('undici.globalDispatcher.1');

interface Dispatcher {
  readonly constructor: new (options: { readonly connections: number }) => Dispatcher;
}

/** Waits with it until the first call, because what `fetch` needs takes time and memory to load. */
function boundFetch(): void {
  const { fetch } = globalThis;
  const globals = globalThis as unknown as Record<symbol, Dispatcher | undefined>;
  let isBound = false;
  const bound: typeof fetch = (...args) => {
    if (!isBound) {
      isBound = true;
      void globalThis.Response; // loads it
      const given = globals[DISPATCHER];
      if (given?.constructor.name === 'Agent')
        globals[DISPATCHER] = new given.constructor({ connections: MOST_TO_SERVER });
    }
    return fetch(...args);
  };
  globalThis.fetch = bound;
}

/** The ways in which someone asks the launcher to stop, as one AbortSignal; a second request some seconds later hurries. */
import { say } from '../progress.mjs';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];
/** npm passes on a Ctrl-C that the terminal has sent to us already: that is not a second request. */
const SAME_REQUEST_MS = 2_000;
const PARENT_CHECK_MS = 500;

export function listenForStopRequests({ parent = startedBy(process.env) } = {}) {
  const stop = new AbortController();
  const hurry = new AbortController();
  let requestedAt;
  const request = (why) => {
    if (requestedAt === undefined) {
      requestedAt = performance.now();
      say(`Stopping (${why}) …`);
      stop.abort();
    } else if (performance.now() - requestedAt > SAME_REQUEST_MS) {
      hurry.abort();
    }
  };
  for (const signal of SIGNALS) process.on(signal, () => request(signal));
  if (parent) watchParent(parent, () => request('npm has ended'));
  return { stop, hurry: hurry.signal };
}

/** npm runs scripts through a shell that does not always pass signals on, so its end is the request. */
function startedBy(environment) {
  return environment.npm_lifecycle_event ? process.ppid : undefined;
}

function watchParent(parent, onEnd) {
  const watch = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(watch);
    onEnd();
  }, PARENT_CHECK_MS);
  watch.unref();
}

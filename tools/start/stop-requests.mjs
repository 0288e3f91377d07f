/** Turns all requests to stop the launcher into one AbortSignal. A second request, seconds later, aborts `hurry`. */
import { say } from '../progress.mjs';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];
/** Requests within this time count as one, because npm passes on a Ctrl-C that the terminal has sent to us already. */
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

/**
 * The process of npm, when npm started us. Its shell does not always pass signals on, so its end counts as a request.
 */
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

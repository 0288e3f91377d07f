const { TestEnvironment } = require('jest-environment-node');
const { Agent, setGlobalDispatcher } = require('undici');

const MOST_IDLE_MS = 5_000;
const connections = new Agent({ keepAliveMaxTimeout: MOST_IDLE_MS });

/**
 * The environment of the end-to-end suites. `fetch` keeps connections for all suites of a process, here for 5 s at most. By
 * default it keeps one of the service for 71 s, and the service closes it after 73 s. A suite that computes for seconds
 * between two requests notices neither, and a request on the closed connection fails with "other side closed".
 */
module.exports = class SuiteEnvironment extends TestEnvironment {
  async setup() {
    await super.setup();
    setGlobalDispatcher(connections);
  }
};

/**
 * Orders the suites so that the longest come first, and none of them begins when the others have ended. jest itself
 * knows only the durations of former runs, and in a fresh clone it orders suites by the size of their files.
 */
const { basename } = require('node:path');
const { default: Sequencer } = require('@jest/test-sequencer');

/** The suites that take over 12 seconds end to end or over 8 by themselves, the longest first. A name without a file does no harm. */
const LONGEST = [
  'recovery.e2e-spec.ts',
  'hostile-programs.e2e-spec.ts',
  'waiting-kill.e2e-spec.ts',
  'flow-control-kills.e2e-spec.ts',
  'flow-control.e2e-spec.ts',
  'kill.e2e-spec.ts',
  'effects.e2e-spec.ts',
  'pages.e2e-spec.ts',
  'piece-forms.e2e-spec.ts',
  'backup.e2e-spec.ts',
  'flow-list-actions.e2e-spec.ts',
  'event-destinations.e2e-spec.ts',
  'expressions.e2e-spec.ts',
  'code-editor.e2e-spec.ts',
  'freeze.e2e-spec.ts',
  'missing-and-away.e2e-spec.ts',
  'faults.e2e-spec.ts',
  'intake-bounds.e2e-spec.ts',
  'tour.e2e-spec.ts',
  'request-descriptions.e2e-spec.ts',
  'run-time-limits.e2e-spec.ts',
  'polling.e2e-spec.ts',
  'connections.e2e-spec.ts',
  'malformed-requests.e2e-spec.ts',
  'code-steps.e2e-spec.ts',
  'http-steps.e2e-spec.ts',
  'settings.e2e-spec.ts',
  'runs.e2e-spec.ts',
  'hostile-values.e2e-spec.ts',
  'shell.e2e-spec.ts',
  'run-retries.e2e-spec.ts',
  'trying-out.e2e-spec.ts',
  'editing.e2e-spec.ts',
  'undo.e2e-spec.ts',
  'pooler.e2e-spec.ts',
  'webhooks.e2e-spec.ts',
  'cancel-runs.e2e-spec.ts',
  'sync-webhooks.e2e-spec.ts',
  'versions.e2e-spec.ts',
  'live-updates.e2e-spec.ts',
  'subflows.e2e-spec.ts',
  'flows.e2e-spec.ts',
  'permissions.e2e-spec.ts',
  'sign-up.e2e-spec.ts',
  'large-outputs.e2e-spec.ts',
  'waiting-runs.e2e-spec.ts',
  'first-flow.e2e-spec.ts',
  'step-tables.e2e-spec.ts',
  'run-canvas.e2e-spec.ts',
  'sign-in.e2e-spec.ts',
  'failures.e2e-spec.ts',
  'api-client.e2e-spec.ts',
  'rolling-restart.e2e-spec.ts',
  'compare.e2e-spec.ts',
  'menu.e2e-spec.ts',
  'tracing.e2e-spec.ts',
  'palette.e2e-spec.ts',
  'metrics.e2e-spec.ts',
  'hostile-programs.int-spec.ts',
  'killed-runs.int-spec.ts',
  'sandbox.int-spec.ts',
  'back-up.int-spec.ts',
  'restore-deaths.int-spec.ts',
  'killed-hooks.int-spec.ts',
  'gateway-readiness.int-spec.ts',
  'silent-stores.int-spec.ts',
  'flow-lists.int-spec.ts',
  'shared-threads.int-spec.ts',
  'unread-answers.int-spec.ts',
  'run-journal-contract.int-spec.ts',
  'control-decisions.spec.ts',
  'postgres-file-store.int-spec.ts',
  'killed-runs.spec.ts',
  'redis-cluster.int-spec.ts',
  'redis-sentinel.int-spec.ts',
  'migrate.int-spec.ts',
  'simulation.spec.ts',
  'undo.spec.ts',
];

function rankOf({ path }) {
  const rank = LONGEST.indexOf(basename(path));
  return rank < 0 ? LONGEST.length : rank;
}

module.exports = class LongestFirst extends Sequencer {
  /** @override */
  async sort(tests) {
    return (await super.sort(tests)).sort((one, other) => rankOf(one) - rankOf(other));
  }
};

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { PROMETHEUS_RULE, prometheusRule } from './alert-rules.mjs';
import { importTypeScript } from './import-typescript.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const textOf = (path) => readFileSync(join(root, path), 'utf8');

const rules = parse(textOf('deploy/prometheus/rules.yaml')).groups.flatMap((group) => group.rules);
const dashboard = JSON.parse(textOf('deploy/grafana/millrace.json'));
const page = textOf('docs/metrics.md');

/** The names that a histogram has besides its own. */
const OF_HISTOGRAM = /_(bucket|sum|count)$/;
/** Metrics of prom-client that the rules and the dashboard use. */
const OF_NODE = ['nodejs_eventloop_lag_p99_seconds', 'process_cpu_seconds_total', 'process_resident_memory_bytes'];
const namesIn = (text) => text.match(/\b(?:millrace|nodejs|process)_\w+/g) ?? [];
const idOf = (heading) => heading.toLowerCase().replaceAll(' ', '-');

async function exportedNames() {
  const { METRICS } = await importTypeScript('libs/domain/src/metrics/metric-catalogue.ts');
  const names = Object.values(METRICS).flatMap(({ name, type }) =>
    type === 'histogram' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
  );
  return new Set([...names, ...OF_NODE]);
}

/** Runs promtool. Skips the test when this machine has none. */
function promtool(test, ...args) {
  const { error, status, stdout, stderr } = spawnSync('promtool', args, {
    cwd: join(root, 'deploy/prometheus'),
    encoding: 'utf8',
  });
  if (error) return test.skip('left out: no promtool found (Debian: apt-get install prometheus)');
  assert.equal(status, 0, stdout + stderr);
}

describe('the alert rules', () => {
  it('are about metrics that an app exports', async () => {
    const exported = await exportedNames();
    const unknown = rules.flatMap(({ expr }) => namesIn(expr)).filter((name) => !exported.has(name));
    assert.deepEqual(unknown, []);
  });

  it('each say what is wrong, and name a heading that says what to do', () => {
    const headings = [...page.matchAll(/^#+ (.+)$/gm)].map(([, heading]) => `docs/metrics.md#${idOf(heading)}`);
    for (const { alert, labels, annotations } of rules) {
      assert.match(alert, /^Millrace[A-Z]/);
      assert.match(labels.severity, /^(warning|critical)$/);
      assert.match(annotations.summary, /\.$/, alert);
      assert.match(annotations.description, /[.?]$/, alert);
      assert.ok(headings.includes(annotations.runbook_url), `${alert}: ${annotations.runbook_url}`);
    }
  });

  it('are in the table of the page, with their severity and the heading that says what to do', () => {
    const table = [...page.matchAll(/^\| `(Millrace\w+)` +\| (\w+) .*\]\(#([\w-]+)\)/gm)].map((row) => row.slice(1));

    assert.deepEqual(
      table,
      rules.map(({ alert, labels, annotations }) => [alert, labels.severity, annotations.runbook_url.split('#')[1]]),
    );
  });

  it('are in the document of the Prometheus Operator as they are here (else: npm run docs)', () => {
    assert.equal(textOf(PROMETHEUS_RULE), prometheusRule());
  });

  it('each have a case in which they are raised, and one in which they are not', () => {
    const cases = parse(textOf('deploy/prometheus/rules.test.yaml')).tests.flatMap((test) => test.alert_rule_test);
    const namesWhere = (isCase) => new Set(cases.filter(isCase).map(({ alertname }) => alertname));
    const [raised, silent] = [
      namesWhere(({ exp_alerts }) => exp_alerts.length > 0),
      namesWhere(({ exp_alerts }) => exp_alerts.length === 0),
    ];

    assert.deepEqual(
      rules.map(({ alert }) => alert).filter((alert) => !raised.has(alert) || !silent.has(alert)),
      [],
    );
  });

  it('are rules as Prometheus reads them', (test) => promtool(test, 'check', 'rules', 'rules.yaml'));

  it('are raised when they should be, and not before', (test) => promtool(test, 'test', 'rules', 'rules.test.yaml'));
});

describe('the alert rules and the dashboard', () => {
  it('ask for metrics that other programs have, too, only of the processes of this service', () => {
    const expressions = [rules, dashboard.panels.flatMap(({ targets = [] }) => targets)].flat().map(({ expr }) => expr);
    const ofAnybody = expressions.filter((expr) => OF_NODE.some((name) => expr.includes(name)));

    assert.equal(ofAnybody.length, 4);
    for (const expr of ofAnybody) assert.match(expr, /\* on \(job, instance\) group_left \(\w*\) millrace_build_info/);
  });
});

describe('the dashboard', () => {
  const panels = dashboard.panels.filter(({ type }) => type !== 'row');

  it('shows metrics that an app exports', async () => {
    const exported = await exportedNames();
    const unknown = panels
      .flatMap(({ targets }) => targets)
      .flatMap(({ expr }) => namesIn(expr))
      .filter((name) => !exported.has(name));
    assert.deepEqual(unknown, []);
  });

  it('shows every metric of the service but few that need no panel', async () => {
    const shown = new Set(namesIn(JSON.stringify(panels)).map((name) => name.replace(OF_HISTOGRAM, '')));
    const { METRICS } = await importTypeScript('libs/domain/src/metrics/metric-catalogue.ts');
    const missing = Object.values(METRICS).flatMap(({ name }) => (shown.has(name) ? [] : [name]));
    assert.deepEqual(missing.sort(), [
      'millrace_database_connections_max',
      'millrace_metrics_failed_total',
      'millrace_runs_waiting_bytes',
      'millrace_runs_waiting_counted_timestamp_seconds',
      'millrace_runs_waiting_max',
    ]);
  });

  it('takes its data source from a variable, and places no two panels at one place', () => {
    const places = panels.map(({ gridPos: { x, y } }) => `${x} ${y}`);
    assert.equal(new Set(places).size, places.length);
    for (const { datasource } of panels) assert.equal(datasource.uid, '${datasource}');
  });
});

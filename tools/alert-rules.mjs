/** `npm run docs`: writes the alert rules of deploy/prometheus as a document of the Prometheus Operator. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { formatted } from './formatted.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const RULES = 'deploy/prometheus/rules.yaml';
export const PROMETHEUS_RULE = 'deploy/kubernetes/components/monitoring/prometheus-rule.yaml';

const HEAD = `# The rules of ${RULES}, from which \`npm run docs\` writes this.
apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata: { name: millrace, labels: { app.kubernetes.io/part-of: millrace } }
spec:
`;

/** The document, with the comments between the rules. */
export function prometheusRule() {
  const rules = readFileSync(join(root, RULES), 'utf8');
  const groups = rules.slice(rules.indexOf('groups:')).replace(/^(?=.)/gm, '  ');
  return formatted(PROMETHEUS_RULE, HEAD + groups);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  writeFileSync(join(root, PROMETHEUS_RULE), prometheusRule());
  console.log(`${PROMETHEUS_RULE} is written.`);
}

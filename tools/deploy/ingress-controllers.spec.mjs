import assert from 'node:assert/strict';
import { appendFileSync, cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, it } from 'node:test';
import { temporaryFolder } from '../testing/temporary-folder.mjs';
import { render, whyNotRendered } from './kubernetes.mjs';
import { problemsOf } from './kubernetes-schemas.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const textOf = (path) => readFileSync(join(root, path), 'utf8');
const skip = whyNotRendered();

/** The documents of an overlay whose list `patches` ends with the lines of the guide. */
function patched(test) {
  const copy = temporaryFolder(test);
  cpSync(join(root, 'deploy/kubernetes'), join(copy, 'deploy/kubernetes'), { recursive: true });
  const [, lines] =
    /^## Another ingress controller\n.*?^```yaml\n(.*?)^```/ms.exec(textOf('docs/install-on-kubernetes.md')) ?? [];
  assert.ok(lines);
  const overlay = join(copy, 'deploy/kubernetes/overlays/example/kustomization.yaml');
  appendFileSync(overlay, lines.replace(/^(?=.)/gm, '  '));
  return render(copy, 'overlays/example');
}

describe("the guide's patch for OpenShift's router", { skip }, () => {
  it('makes an ingress whose router waits for the answers of /sync, and believes no caller', (test) => {
    const documents = patched(test);
    const { metadata, spec } = documents.find(({ kind }) => kind === 'Ingress');
    const [, seconds] = /\| `SVC_WEBHOOK_TIMEOUT_SECONDS` .*?\| `(\d+)` /.exec(textOf('docs/configuration.md')) ?? [];

    assert.deepEqual(documents.flatMap(problemsOf), []);
    assert.equal(spec.ingressClassName, 'openshift-ingress');
    assert.equal(spec.rules[0].host, 'flows.example.com');
    assert.equal(metadata.annotations['haproxy.router.openshift.io/set-forwarded-headers'], 'replace');
    assert.ok(parseInt(metadata.annotations['haproxy.router.openshift.io/timeout']) > Number(seconds));
    assert.deepEqual(
      Object.keys(metadata.annotations).filter((name) => name.startsWith('nginx.')),
      [],
    );
  });

  it('lets the namespace of that router in, and no other', (test) => {
    const policies = patched(test).filter(({ kind }) => kind === 'NetworkPolicy');
    const { spec } = policies.find(({ metadata }) => metadata.name === 'from-ingress');

    assert.deepEqual(spec.ingress[0].from, [
      { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'openshift-ingress' } } },
    ]);
  });
});

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, it } from 'node:test';
import { readImage } from '../images/dockerfile.mjs';
import { APPS } from '../images/pruned-build.mjs';
import { importTypeScript } from '../import-typescript.mjs';
import { makeSecrets } from '../make-secrets.mjs';
import { temporaryFolder } from '../testing/temporary-folder.mjs';
import { documentsIn, render, whyNotRendered, written } from './kubernetes.mjs';
import { nameOf, problemsOf, unknownFieldsOf } from './kubernetes-schemas.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const textOf = (path) => readFileSync(join(root, path), 'utf8');
const known = JSON.parse(textOf('tools/start/known-settings.json'));
const version = JSON.parse(textOf('package.json')).version;
const overlays = readdirSync(join(root, 'deploy/kubernetes/overlays')).map((name) => `overlays/${name}`);
const secrets = documentsIn(textOf('deploy/kubernetes/secrets.example.yaml'));
const skip = whyNotRendered();
const { BUILD_MEMORY_MB } = await importTypeScript('libs/sandbox/src/bundling/build-memory.ts');
const CONNECTIONS_BUDGET = 200;
/** Each process has one connection beside those of its setting: the one that listens. */
const LISTENING = 1;
const CONNECTION_SETTINGS = {
  'webhook-gateway': 'SVC_GATEWAY_DATABASE_CONNECTIONS',
  api: 'SVC_API_DATABASE_CONNECTIONS',
  worker: 'SVC_WORKER_DATABASE_CONNECTIONS',
};
/** A default in the reference. */
const defaultOf = (name) => Number(rowOf(name)[3].replace(/[`,]/g, ''));
/** A quantity of memory, in MB. */
const megabytes = (quantity) => {
  const [, number, unit] = /^(\d+)([MG])i$/.exec(quantity) ?? assert.fail(quantity);
  return Number(number) * (unit === 'G' ? 1024 : 1);
};
/** The cells of a setting in the reference, from the second on: its value, its default. */
const rowOf = (name) =>
  /** @type {string[]} */ (
    textOf('docs/configuration.md')
      .split('\n')
      .find((line) => line.includes(`| \`${name}\` `))
      ?.split('|')
      .map((cell) => cell.trim())
  );

describe('the documents of deploy/kubernetes, as they are written', () => {
  const documents = [...overlays.flatMap((overlay) => written(root, overlay)), ...secrets];

  it('follow the schemas of their kinds', () => assert.deepEqual(documents.flatMap(problemsOf), []));

  it('have no field that their kind does not have', () => assert.deepEqual(unknownFieldsOf(documents, root), []));
});

describe('the checks of documents', () => {
  const [policy] = written(root, 'base').filter(({ kind }) => kind === 'NetworkPolicy');

  it('find a value of a wrong form', () => {
    const wrong = { ...policy, spec: { ...policy.spec, podSelector: 'all' } };

    assert.deepEqual(problemsOf(wrong), [`${nameOf(policy)}: data/spec/podSelector must be object`]);
  });

  it('find a field that is misspelt', () => {
    const wrong = { ...policy, spec: { ...policy.spec, ingres: [] } };

    assert.match(unknownFieldsOf([wrong], root).join(), /ingres.*does not exist/);
  });

  it('find a kind that nobody knows', () => {
    assert.match(problemsOf({ ...policy, kind: 'NetworkPolicies' }).join(), /no schema of/);
  });
});

describe('the example Secrets', () => {
  it('are in no kustomization, in no namespace of ours, and under names that no pod refers to', () => {
    for (const { metadata } of secrets) {
      assert.equal(metadata.namespace, 'example-only');
      assert.match(metadata.name, /-example$/);
    }
    for (const overlay of overlays)
      assert.ok(!written(root, overlay).some(({ kind }) => kind === 'Secret'), `${overlay} has a Secret`);
  });

  it('become the real ones by make-secrets, which leaves only the addresses of the stores', async () => {
    const made = documentsIn(await makeSecrets());

    assert.deepEqual(
      made.map(({ metadata }) => metadata),
      secrets.map(({ metadata }) => ({ name: metadata.name.replace('-example', '') })),
    );
    const examples = made
      .flatMap(({ stringData }) => Object.entries(stringData))
      .filter(([, value]) => /example/.test(value));
    assert.deepEqual(
      examples.map(([name]) => name),
      ['SVC_DATABASE_URL'],
    );
  });
});

for (const overlay of overlays)
  describe(`${overlay}, rendered`, { skip }, () => {
    const documents = skip ? [] : render(root, overlay);
    const all = (kind) => documents.filter((document) => document.kind === kind);
    const one = (kind, name) =>
      all(kind).find(({ metadata }) => metadata.name === name) ?? assert.fail(`${kind} ${name}`);
    const workloads = [...all('Deployment'), ...all('Job')];
    const podOf = ({ spec }) => spec.template.spec;
    const containerOf = (workload) => podOf(workload).containers[0];

    it('follows the schemas of its kinds', () => assert.deepEqual(documents.flatMap(problemsOf), []));

    it('has no field that a kind does not have', () => assert.deepEqual(unknownFieldsOf(documents, root), []));

    it('is in one namespace, which it makes, and which lets no pod have rights', () => {
      const [namespace] = all('Namespace');
      const elsewhere = documents.filter(
        (each) => each !== namespace && each.metadata.namespace !== namespace.metadata.name,
      );

      assert.deepEqual(elsewhere.map(nameOf), []);
      assert.equal(namespace.metadata.labels['pod-security.kubernetes.io/enforce'], 'restricted');
    });

    it('takes the images of this version from a registry', () => {
      for (const workload of workloads)
        assert.match(containerOf(workload).image, new RegExp(`^[\\w.-]+\\.\\w+/.*millrace-[\\w-]+:${version}$`));
    });

    it('lets pods write nothing but /tmp, as the user of their image, without any right', () => {
      for (const workload of workloads) {
        const { securityContext, automountServiceAccountToken, volumes } = podOf(workload);
        const { securityContext: own, volumeMounts } = containerOf(workload);
        const [user, group] = String(readImage(root, 'api').user).split(':').map(Number);

        assert.deepEqual([securityContext.runAsUser, securityContext.runAsGroup], [user, group]);
        assert.equal(securityContext.runAsNonRoot, true);
        assert.deepEqual(securityContext.seccompProfile, { type: 'RuntimeDefault' });
        assert.equal(automountServiceAccountToken, false);
        assert.deepEqual(own, {
          ...{ allowPrivilegeEscalation: false, readOnlyRootFilesystem: true },
          capabilities: { drop: ['ALL'] },
        });
        assert.deepEqual(volumeMounts, [{ name: 'tmp', mountPath: '/tmp' }]);
        assert.ok(volumes[0].emptyDir.sizeLimit);
      }
    });

    it('lets nothing that builds leave behind become a zombie: Node is not the first process', () => {
      for (const workload of workloads) assert.equal(podOf(workload).shareProcessNamespace, true);
    });

    /** The names of the settings that a container gets. */
    const settingsOf = (workload) => {
      const { env = [], envFrom = [] } = containerOf(workload);
      const ofSecrets = envFrom.flatMap(({ secretRef }) =>
        Object.keys(secrets.find(({ metadata }) => metadata.name === `${secretRef?.name}-example`)?.stringData ?? {}),
      );
      const ofMaps = envFrom.flatMap(({ configMapRef }) =>
        configMapRef ? Object.keys(one('ConfigMap', configMapRef.name).data) : [],
      );
      return [...new Set([...ofSecrets, ...ofMaps, ...env.map(({ name }) => name)])];
    };

    for (const app of APPS) {
      it(`gives the ${app} only what it reads`, () => {
        const others = settingsOf(one('Deployment', app)).filter((name) => !known[name]?.readBy.includes(app));

        assert.deepEqual(others, []);
      });

      it(`finds the ${app} at the port of its image`, () => {
        assert.deepEqual(containerOf(one('Deployment', app)).ports, [
          { name: 'http', containerPort: readImage(root, app).ports[0] },
        ]);
      });

      it(`gives the ${app} the time to stop, and keeps it while nodes are drained`, () => {
        const { template } = one('Deployment', app).spec;

        assert.ok(template.spec.terminationGracePeriodSeconds >= 40);
        assert.equal(template.spec.topologySpreadConstraints.length, 2);
        const budget = one('PodDisruptionBudget', app).spec;
        assert.equal(budget.maxUnavailable, 1);
        for (const [name, value] of Object.entries(budget.selector.matchLabels))
          assert.equal(template.metadata.labels[name], value);
      });
    }

    it('makes links with the host of the ingress, which has a class, a certificate and room for webhooks', () => {
      const { metadata, spec } = one('Ingress', 'millrace');
      const [{ data }] = all('ConfigMap');

      assert.equal(data.SVC_PUBLIC_URL, `https://${spec.rules[0].host}`);
      assert.deepEqual(spec.tls[0].hosts, [spec.rules[0].host]);
      assert.equal(spec.ingressClassName, 'nginx');
      const [, , , largest] = rowOf('SVC_MAX_WEBHOOK_PAYLOAD_SIZE_MB');
      assert.equal(`\`${parseInt(metadata.annotations['nginx.ingress.kubernetes.io/proxy-body-size'])}\``, largest);
    });

    it('does not start an app that has no public URL', () => {
      for (const app of APPS) {
        const setting = containerOf(one('Deployment', app)).env.find(({ name }) => name === 'SVC_PUBLIC_URL');
        assert.ok(setting.valueFrom.configMapKeyRef.key);
        assert.equal(setting.valueFrom.configMapKeyRef.optional, undefined);
      }
    });

    it('leads each path to a Service, and each Service to a port of pods', () => {
      const backends = one('Ingress', 'millrace').spec.rules[0].http.paths.map(({ backend }) => backend.service);
      for (const { name, port } of backends)
        assert.ok(one('Service', name).spec.ports.some((each) => each.name === port.name));
      for (const { spec } of all('Service'))
        assert.equal(
          spec.ports[0].targetPort,
          containerOf(one('Deployment', spec.selector['app.kubernetes.io/name'])).ports[0].name,
        );
    });

    it('scales what it does not fix: no replicas where something else decides', () => {
      const targets = [...all('HorizontalPodAutoscaler'), ...all('ScaledObject')].map(
        ({ spec }) => spec.scaleTargetRef.name,
      );

      assert.ok(['api', 'webhook-gateway'].every((app) => targets.includes(app)));
      for (const { metadata, spec } of all('Deployment'))
        assert.equal(spec.replicas === undefined, targets.includes(metadata.name), metadata.name);
    });

    it('writes Deployments as the server keeps them, so that a second apply leaves them unchanged', () => {
      for (const deployment of all('Deployment')) {
        assert.equal(deployment.spec.strategy.type, 'RollingUpdate');
        const { requests, limits } = containerOf(deployment).resources;
        for (const quantity of [...Object.values(requests), ...Object.values(limits)])
          assert.equal(typeof quantity, 'string');
      }
    });

    it('keeps to the budget of connections with as many pods as it may have', () => {
      const most = Object.fromEntries(all('Deployment').map(({ metadata, spec }) => [metadata.name, spec.replicas]));
      for (const { spec } of [...all('HorizontalPodAutoscaler'), ...all('ScaledObject')])
        most[spec.scaleTargetRef.name] = spec.maxReplicas ?? spec.maxReplicaCount;
      const connections = APPS.map((app) => most[app] * (defaultOf(CONNECTION_SETTINGS[app]) + LISTENING));

      const sum = connections.reduce((before, each) => before + each, 0);
      assert.ok(sum <= CONNECTIONS_BUDGET, `${JSON.stringify(most)} have ${sum} connections`);
    });

    for (const app of ['api', 'worker'])
      it(`has memory for the ${app} with every build that it may have under way`, () => {
        const { requests, limits } = containerOf(one('Deployment', app)).resources;
        const builds = Object.values(BUILD_MEMORY_MB).reduce((before, each) => before + each, 0);

        assert.ok(megabytes(limits.memory) >= megabytes(requests.memory) + builds, limits.memory);
      });

    it('gives every probe 5 s, because a starved node is no reason to end a pod', () => {
      for (const app of APPS)
        for (const probe of ['startupProbe', 'livenessProbe', 'readinessProbe'])
          assert.equal(containerOf(one('Deployment', app))[probe].timeoutSeconds, 5, `${app} ${probe}`);
    });

    it('has room in /tmp for the packages of code steps, and as much again', () => {
      for (const app of ['api', 'worker']) {
        const { sizeLimit } = podOf(one('Deployment', app)).volumes[0].emptyDir;
        assert.ok(megabytes(sizeLimit) >= 2 * defaultOf('SVC_PACKAGE_CACHE_MB'));
      }
    });

    it('asks Prometheus for metrics that the apps have', () => {
      const queries = all('ScaledObject').flatMap(({ spec }) => spec.triggers.map(({ metadata }) => metadata.query));
      for (const [name] of queries.flatMap((query) => [...query.matchAll(/millrace_\w+/g)]))
        assert.ok(textOf('docs/metrics.md').includes(`\`${name}\``), name);
    });

    it('denies all traffic that no policy allows, and every policy is about pods that there are', () => {
      assert.deepEqual(one('NetworkPolicy', 'default-deny').spec, {
        podSelector: {},
        policyTypes: ['Ingress', 'Egress'],
      });
      const apps = workloads.map(({ metadata }) => metadata.name);
      for (const { metadata, spec } of all('NetworkPolicy')) {
        const { matchLabels, matchExpressions = [] } = spec.podSelector;
        const named = [...Object.values(matchLabels ?? {}), ...matchExpressions.flatMap(({ values }) => values)];
        assert.deepEqual(
          named.filter((name) => !apps.includes(name)),
          [],
          metadata.name,
        );
      }
    });

    it('migrates the database by the image of the api', () => {
      assert.deepEqual(containerOf(one('Job', 'migration')).command, ['node', 'main.cjs', 'migrate']);
      assert.equal(containerOf(one('Job', 'migration')).image, containerOf(one('Deployment', 'api')).image);
    });
  });

describe('overlays/production, for the Prometheus Operator', { skip }, () => {
  const documents = skip ? [] : render(root, 'overlays/production');
  const monitoring = documents.filter(({ apiVersion }) => apiVersion.startsWith('monitoring.coreos.com/'));

  it('has the label by which a Prometheus selects on all that it is to take', () => {
    assert.deepEqual(monitoring.map(({ kind }) => kind).sort(), ['PrometheusRule', 'ServiceMonitor']);
    for (const { metadata } of monitoring) assert.equal(metadata.labels.release, 'kube-prometheus-stack');
  });

  it('leads each alert to its heading, below the address of the overlay', () => {
    const [{ metadata, spec }] = monitoring.filter(({ kind }) => kind === 'PrometheusRule');
    const rules = spec.groups.flatMap((group) => group.rules);

    assert.ok(rules.length > 15);
    for (const { annotations } of rules)
      assert.ok(annotations.runbook_url.startsWith(`${metadata.annotations.documentation}docs/metrics.md#`));
  });
});

describe('an installation in another namespace', { skip }, () => {
  it('needs that name in the example only: all documents and the queries of KEDA follow', (test) => {
    const copy = temporaryFolder(test);
    cpSync(join(root, 'deploy/kubernetes'), join(copy, 'deploy/kubernetes'), { recursive: true });
    const example = join(copy, 'deploy/kubernetes/overlays/example/kustomization.yaml');
    writeFileSync(example, readFileSync(example, 'utf8').replace(/^namespace: .*$/m, 'namespace: flows'));

    const documents = render(copy, 'overlays/production');

    const namespaces = documents.map(({ kind, metadata }) =>
      kind === 'Namespace' ? metadata.name : metadata.namespace,
    );
    assert.deepEqual([...new Set(namespaces)], ['flows']);
    const { triggers } = documents.find(({ kind }) => kind === 'ScaledObject').spec;
    assert.deepEqual(
      triggers.map(({ metadata }) => metadata.query),
      [
        'max(millrace_runs_waiting{namespace="flows"})',
        'max(millrace_oldest_waiting_run_age_seconds{namespace="flows"})',
      ],
    );
  });
});

describe('the overlays that the guide has one make', { skip }, () => {
  it('can be rendered: yours, and the one above it with the components', (test) => {
    const copy = temporaryFolder(test);
    cpSync(join(root, 'deploy/kubernetes'), join(copy, 'deploy/kubernetes'), { recursive: true });
    const commands = textOf('docs/install-on-kubernetes.md').match(/^(cp|sed) .*overlays.*$/gm) ?? [];

    assert.equal(commands.length, 3);
    for (const command of commands) execFileSync('sh', ['-c', command], { cwd: copy });

    const kindsOf = (overlay) => render(copy, overlay).map(({ kind }) => kind);
    assert.deepEqual(kindsOf('overlays/mine'), kindsOf('overlays/example'));
    assert.deepEqual(kindsOf('overlays/mine-monitored'), kindsOf('overlays/production'));
    assert.match(
      readFileSync(join(copy, 'deploy/kubernetes/overlays/mine-monitored/kustomization.yaml'), 'utf8'),
      /mine/,
    );
  });
});

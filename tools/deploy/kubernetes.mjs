/** The documents of deploy/kubernetes, rendered by kubectl, or as they are written where there is no kubectl. */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';

const FOLDER = 'deploy/kubernetes';
/** Kustomize of an older kubectl knows neither labels nor components. */
const LEAST_MINOR = 22;

/** @returns {string | undefined} why overlays cannot be rendered on this machine */
export function whyNotRendered() {
  const { status, stdout } = spawnSync('kubectl', ['version', '--client', '--output=json'], { encoding: 'utf8' });
  if (status !== 0) return 'there is no kubectl';
  const { major, minor, gitVersion } = JSON.parse(stdout).clientVersion;
  const isNew = Number(major) > 1 || Number.parseInt(minor, 10) >= LEAST_MINOR;
  return isNew ? undefined : `kubectl ${gitVersion} is older than 1.${LEAST_MINOR}`;
}

/** @returns {any[]} the documents of an overlay as they would be applied; throws what kubectl says */
export function render(root, overlay) {
  const { status, stdout, stderr } = spawnSync('kubectl', ['kustomize', join(root, FOLDER, overlay)], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(stderr);
  return documentsIn(stdout);
}

/** @returns {any[]} the documents that a kustomization names, without what its patches, labels and images change */
export function written(root, folder) {
  const at = join(root, FOLDER, folder);
  const { resources = [], components = [] } = parse(readFileSync(join(at, 'kustomization.yaml'), 'utf8'));
  return [...resources, ...components].flatMap((name) => {
    const path = resolve(at, name);
    return existsSync(join(path, 'kustomization.yaml'))
      ? written(root, path.slice(resolve(root, FOLDER).length + 1))
      : documentsIn(readFileSync(path, 'utf8'));
  });
}

/** @returns {any[]} */
export function documentsIn(text) {
  return parseAllDocuments(text, { merge: true }).map((document) => {
    if (document.errors.length > 0) throw document.errors[0];
    return document.toJS();
  });
}

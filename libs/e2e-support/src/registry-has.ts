import { spawnSync } from 'node:child_process';
import { ownEnvironment } from './service-environment';

const ASK_MS = 30_000;

/** Whether the registry of this machine has a package. Some mirrors have a part of what is published. */
export const registryHas = (name: string, version: string): boolean =>
  spawnSync('npm', ['view', `${name}@${version}`, 'version'], {
    env: ownEnvironment(),
    timeout: ASK_MS,
    stdio: 'ignore',
  }).status === 0;

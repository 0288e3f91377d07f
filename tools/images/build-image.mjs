/**
 * Performs the build stages of the Dockerfiles without a container engine: the context is copied into an empty folder,
 * and the commands run there, on the Node.js of this process. A step that several Dockerfiles begin with is performed
 * once. Programs of the system that other stages add are left out: the machine has its own.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { say } from '../progress.mjs';
import { filesOfContext } from './build-context.mjs';
import { readStages } from './dockerfile.mjs';

export class ImageBuild {
  #done = new Set();

  /**
   * @param {string} root the repository
   * @param {string} folder an empty one, which has a folder `build` afterwards, and one for each app
   */
  constructor(root, folder) {
    this.root = root;
    this.folder = folder;
  }

  /** Builds the image of an app. Throws when a step fails. */
  make(app) {
    const stages = readStages(this.root, app);
    const [build, image] = [stages.find(({ name }) => name === 'build'), stages.at(-1)];
    if (!build || !image) throw new Error(`The Dockerfile of the ${app} has no stage that builds it.`);
    let state = { workdir: '/', chain: '' };
    for (const step of build.instructions) state = this.#perform(step, state);
    for (const { args, flags } of image.instructions.filter(({ keyword }) => keyword === 'COPY'))
      if (flags.from === build.name) cpSync(this.#inBuild(args[0]), join(this.folder, app), { recursive: true });
  }

  #perform({ keyword, text, args }, { workdir, chain }) {
    const state = { workdir: keyword === 'WORKDIR' ? text : workdir, chain: `${chain}\n${keyword} ${text}` };
    if (this.#done.has(state.chain)) return state;
    this.#done.add(state.chain);
    say(`${keyword} ${text}`);
    const here = this.#inBuild(state.workdir);
    mkdirSync(here, { recursive: true });
    if (keyword === 'RUN') run(text, here);
    else if (keyword === 'COPY') this.#copy(args.slice(0, -1), here);
    else if (keyword !== 'WORKDIR') throw new Error(`A build stage must not need ${keyword}.`);
    return state;
  }

  #copy(sources, target) {
    for (const file of filesOfContext(this.root))
      if (sources.includes('.') || sources.includes(file)) {
        mkdirSync(dirname(join(target, file)), { recursive: true });
        cpSync(join(this.root, file), join(target, file));
      }
  }

  #inBuild = (path) => join(this.folder, 'build', path);
}

/** The programs of this Node.js come first on the path. The settings of npm are those of the machine. */
function run(command, cwd) {
  const env = { ...process.env, PATH: `${dirname(process.execPath)}:${process.env.PATH}`, NODE_ENV: '' };
  const { status } = spawnSync('sh', ['-c', command], { cwd, env, stdio: 'inherit' });
  if (status !== 0) throw new Error(`${command} failed with ${status}.`);
}

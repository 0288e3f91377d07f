import type { HostAnswer } from '../process/host-call';
import { HostProcess, type CallOptions, type HostOptions } from '../process/host-process';
import { findWalls } from '../walls/find-walls';
import type { Walls } from '../walls/host-command';
import type { ResolveTarget } from '../way-out/way-out';
import { aPackage } from './a-package';
import { compileProgram } from './compile-program';

const SCOPE = {
  kind: 'action',
  projectId: 'project',
  flowId: 'flow',
  flowVersionId: 'version',
  stepName: 'step',
  runId: 'run',
  apiUrl: 'http://api.inner/api/',
  publicUrl: 'http://public.example/api/',
  token: 'token',
  input: {},
};
const START_MS = 60_000;

/** What a test sets of the options of a host. */
type TrialOptions = Partial<
  HostOptions['limits'] &
    Pick<HostOptions, 'authorities' | 'resolve' | 'lookUp' | 'walls'> & {
      /** Further files of the package. */
      files: Readonly<Record<string, string>>;
    }
>;

let walls: Promise<Walls> | undefined;

/** A host with a package of a test, whose action is called `act`. */
export class TrialHost {
  private constructor(readonly host: HostProcess) {}

  static async start(
    folder: string,
    source: string,
    { resolve = noTarget, walls: given, authorities, lookUp, files, ...limits }: TrialOptions = {},
  ): Promise<TrialHost> {
    const host = await HostProcess.start({
      walls: given ?? (await (walls ??= findWalls())),
      program: await compileProgram(),
      limits: { memoryMb: 256, connections: 20, bytesOfCall: 256 * 1024 * 1024, ...limits },
      authorities,
      resolve,
      ...(lookUp && { lookUp }),
    });
    const answer = await host.load(aPackage(folder, `package-${++packages}`, source, files), 'index.js', {
      services: {},
      timeoutMs: START_MS,
    });
    if ('error' in answer) throw new Error(`The package was not loaded: ${answer.error.message}`);
    return new TrialHost(host);
  }

  act(
    input: Record<string, unknown> = {},
    { services = {}, timeoutMs = START_MS, ...more }: Partial<CallOptions> = {},
  ): Promise<HostAnswer> {
    return this.host.run({ ...SCOPE, action: 'act', input }, { services, timeoutMs, ...more });
  }
}

let packages = 0;

const noTarget: ResolveTarget = () => Promise.reject(new Error('There is no target in this test.'));

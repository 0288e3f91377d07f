/** What separates a host from the rest of the machine, beside Node's permission model. */
export interface Walls {
  /** The command that puts a process behind the walls. It is empty where this machine offers none. */
  readonly wrapper: readonly string[];
  /** The host has a network of its own, which is empty. */
  readonly network: boolean;
  /** The host sees and signals no process but its own. */
  readonly processes: boolean;
  /** The host runs as another user than the worker. */
  readonly user: boolean;
}

export interface HostLimits {
  /** The most memory of heap and buffers, in MB. */
  readonly memoryMb: number;
}

/** The files of a host. */
export interface HostFiles {
  /** The compiled `host-program`. */
  readonly program: string;
  /** The only folder that the host can read. */
  readonly folder: string;
}

/** V8 needs some of the limit for itself, and buffers are not in its heap. */
const HEAP_SHARE = 0.5;
const MEGABYTE = 1024 * 1024;
const MOST_FILES = 512;
const NOBODY = 65_534;

/** All that a host finds in its environment: the programs that build the walls are looked up by it. */
export const HOST_ENVIRONMENT = { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', TZ: 'UTC' };

/**
 * The walls that may be had, the strongest first. A change of the user clears the signal that ends a process with its
 * parent, so `setpriv` sets it again behind that change.
 */
export function possibleWalls(isRoot: boolean): readonly Walls[] {
  const powerless = ['--no-new-privs', '--bounding-set=-all', '--inh-caps=-all', '--pdeathsig=KILL'];
  const asNobody = ['setpriv', `--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups', ...powerless];
  const namespaces = ['--net', '--pid', '--fork', '--kill-child'];
  const owned = ['unshare', '--user', '--map-root-user'];
  const inside = { network: true, processes: true };
  const asUser = [
    { wrapper: [...owned, '--mount-proc', ...namespaces, '--', 'setpriv', ...powerless], ...inside, user: false },
    { wrapper: [...owned, ...namespaces, '--', 'setpriv', ...powerless], ...inside, user: false },
    {
      wrapper: ['setpriv', '--no-new-privs', '--pdeathsig=KILL'],
      network: false,
      processes: false,
      user: false,
    },
    { wrapper: [], network: false, processes: false, user: false },
  ];
  if (!isRoot) return asUser;
  return [
    { wrapper: ['unshare', '--mount-proc', ...namespaces, '--', ...asNobody], ...inside, user: true },
    { wrapper: ['unshare', ...namespaces, '--', ...asNobody], ...inside, user: true },
    ...asUser.slice(0, 2),
    { wrapper: asNobody, network: false, processes: false, user: true },
    ...asUser.slice(2),
  ];
}

/**
 * The command that starts a host behind these walls. RLIMIT_DATA bounds heap and buffers alike; RLIMIT_AS would break
 * `fetch`, whose WebAssembly reserves 10 GB of addresses.
 */
export function hostCommand(walls: Walls, { memoryMb }: HostLimits, { program, folder }: HostFiles): string[] {
  const limits =
    walls.wrapper.length === 0
      ? []
      : ['prlimit', `--data=${memoryMb * MEGABYTE}`, '--core=0', `--nofile=${MOST_FILES}`, '--'];
  return [
    ...limits,
    ...walls.wrapper,
    process.execPath,
    `--max-old-space-size=${Math.floor(memoryMb * HEAP_SHARE)}`,
    '--disable-proto=delete',
    '--no-warnings',
    ...permissionFlags(process.versions.node),
    `--allow-fs-read=${program}`,
    `--allow-fs-read=${folder}/*`,
    program,
  ];
}

/** Node's permission model has had two names, and bounds the network since Node 25; there, the namespace does so. */
export function permissionFlags(nodeVersion: string): string[] {
  const [major = 0, minor = 0] = nodeVersion.split('.').map(Number);
  const isStable = major > 23 || (major === 23 && minor >= 5) || (major === 22 && minor >= 13);
  return [isStable ? '--permission' : '--experimental-permission', ...(major >= 25 ? ['--allow-net'] : [])];
}

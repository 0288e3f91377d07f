import { release } from 'node:os';
import { dirname } from 'node:path';

/** What separates a host from the rest of the machine, beside Node's permission model. */
export interface Walls {
  /** The command that puts a process behind the walls. FOLDER and ROOM stand for the folder of the host. */
  readonly wrapper: readonly string[];
  /** The host has a network of its own, which is empty. */
  readonly network: boolean;
  /** The host sees and signals no process but its own. */
  readonly processes: boolean;
  /** The host sees no files but programs and its own folder, and so no local socket of another service. */
  readonly files: boolean;
  /** The host runs as another user than the worker. */
  readonly user: boolean;
}

const FOLDER = '{folder}';
/** Options of bubblewrap that make the folders in which that of the host lies. By itself it makes them for root only. */
const ROOM = '{room}';

export interface HostLimits {
  /** The most memory of heap and buffers, in MB. */
  readonly memoryMb: number;
  /** The host loads compiled programs of its package, for which only the walls hold, and nothing of Node.js. */
  readonly loadsNativeParts?: boolean;
}

/** Whether compiled programs, which obey nothing of Node.js, are held by these walls. */
export const holdNativeParts = ({ network, processes, files, user }: Walls): boolean =>
  network && processes && (files || user);

/** The files of a host. */
export interface HostFiles {
  /** The compiled `host-program`. */
  readonly program: string;
  /** The only folder that the host can read. */
  readonly folder: string;
  /** The PEM file of the authorities that the host trusts besides those that Node.js knows. */
  readonly authorities?: string;
}

/** V8 needs some of the limit for itself, and buffers are not in its heap. */
const HEAP_SHARE = 0.5;
const MEGABYTE = 1024 * 1024;
const MOST_FILES = 512;
/** A package that computes without end leaves its worker, which serves the runs of others, three times as much of a CPU. */
const LOWER_PRIORITY = ['nice', '-n', '5'];
const NOBODY = 65_534;
/** The most processes and threads of a host that are counted by themselves. A host has a dozen threads, or twice that. */
const MOST_TASKS = 256;
/** The most of all hosts on the machine together, where they share a user that is not the worker's. */
const MOST_TASKS_OF_NOBODY = 4_096;

/**
 * All that a host finds in its environment. The programs that build the walls are looked up by it. Packages ask for a
 * home in which they could find settings, and there is no user whose home the system would know.
 */
export const HOST_ENVIRONMENT = {
  PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  HOME: '/nonexistent',
  TZ: 'UTC',
};

/** Takes from a process what it could use against the machine. A change of the user clears the signal, so it is set here. */
const POWERLESS = ['--no-new-privs', '--bounding-set=-all', '--inh-caps=-all', '--pdeathsig=KILL'];
const AS_NOBODY = ['setpriv', `--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups', ...POWERLESS];
const AS_ITSELF = ['setpriv', ...POWERLESS];
const UNPRIVILEGED = ['setpriv', '--no-new-privs', '--pdeathsig=KILL'];
/** What builds the walls ends with the worker, and the host with it. */
const ENDING_WITH_US = ['setpriv', '--pdeathsig=KILL'];
const NAMESPACES = ['--net', '--pid', '--fork', '--kill-child', '--'];

/**
 * Bounds processes and threads, which the system counts for each user. In a user namespace it counts them anew since
 * Linux 5.14; before, the count would be that of the worker and everything else of its user.
 */
const boundedTasks = (kernel: string): string[] => {
  const [major = 0, minor = 0] = kernel.split('.').map(Number.parseFloat);
  return major > 5 || (major === 5 && minor >= 14) ? ['prlimit', `--nproc=${MOST_TASKS}`, '--'] : [];
};

const OWN_PROC = ['--proc', '/proc'];
/** Containers hide parts of /proc, and whoever does not see all of it may not make another. */
const EMPTY_PROC = ['--dir', '/proc'];

/** bubblewrap gives the host a root of its own, with the folders of programs and nothing that can be written. */
const bubblewrap = (proc: readonly string[] = OWN_PROC): string[] => [
  ...[...ENDING_WITH_US, 'bwrap', '--unshare-net', '--unshare-pid', '--unshare-ipc', '--unshare-uts'],
  ...['--die-with-parent', '--clearenv'],
  ...Object.entries(HOST_ENVIRONMENT).flatMap(([name, value]) => ['--setenv', name, value]),
  ...['--ro-bind', '/usr', '/usr'],
  ...['/bin', '/sbin', '/lib', '/lib64'].flatMap((path) => ['--ro-bind-try', path, path]),
  ...['--ro-bind', process.execPath, process.execPath],
  ...[...proc, '--dev-bind', '/dev/null', '/dev/null', '--dev-bind', '/dev/urandom', '/dev/urandom'],
  ...[ROOM, '--ro-bind', FOLDER, FOLDER, '--remount-ro', '/', '--chdir', FOLDER, '--'],
];

/** The walls that may be had, the strongest first. */
export function possibleWalls(isRoot: boolean, kernel = release()): readonly Walls[] {
  const bounded = boundedTasks(kernel);
  const owned = [...ENDING_WITH_US, 'unshare', '--user', '--map-root-user'];
  const whole = { network: true, processes: true, files: true };
  const inside = { network: true, processes: true, files: false };
  const none = { network: false, processes: false, files: false };
  const unshare = [...ENDING_WITH_US, 'unshare'];
  const asUser: Walls[] = [
    // bubblewrap itself leaves a user no capability to take away.
    { wrapper: [...bubblewrap(), ...bounded, ...UNPRIVILEGED], ...whole, user: false },
    { wrapper: [...bubblewrap(EMPTY_PROC), ...bounded, ...UNPRIVILEGED], ...whole, user: false },
    { wrapper: [...owned, '--mount-proc', ...NAMESPACES, ...bounded, ...AS_ITSELF], ...inside, user: false },
    { wrapper: [...owned, ...NAMESPACES, ...bounded, ...AS_ITSELF], ...inside, user: false },
    { wrapper: UNPRIVILEGED, ...none, user: false },
    { wrapper: [], ...none, user: false },
  ];
  if (!isRoot) return asUser;
  return [
    { wrapper: [...bubblewrap(), ...AS_NOBODY], ...whole, user: true },
    { wrapper: [...unshare, '--mount-proc', ...NAMESPACES, ...AS_NOBODY], ...inside, user: true },
    { wrapper: [...unshare, ...NAMESPACES, ...AS_NOBODY], ...inside, user: true },
    ...asUser.filter(({ network }) => network),
    { wrapper: AS_NOBODY, ...none, user: true },
    ...asUser.filter(({ network }) => !network),
  ];
}

/**
 * The command that starts a host behind these walls. RLIMIT_DATA bounds heap and buffers alike; RLIMIT_AS would break
 * `fetch`, whose WebAssembly reserves 10 GB of addresses. RLIMIT_FSIZE keeps every file as it is, whoever opens it.
 */
export function hostCommand(
  walls: Walls,
  { memoryMb, loadsNativeParts = false }: HostLimits,
  { program, folder, authorities }: HostFiles,
): string[] {
  const limits =
    walls.wrapper.length === 0
      ? []
      : [
          ...LOWER_PRIORITY,
          'prlimit',
          `--data=${memoryMb * MEGABYTE}`,
          '--fsize=0',
          '--core=0',
          `--nofile=${MOST_FILES}`,
          // It holds for nobody, and not for root, who starts the command.
          ...(walls.user ? [`--nproc=${MOST_TASKS_OF_NOBODY}`] : []),
          '--',
        ];
  return [
    ...limits,
    ...walls.wrapper.flatMap((part) => (part === ROOM ? roomFor(folder) : part === FOLDER ? folder : part)),
    // bubblewrap clears the environment, so what it has is set here.
    ...(authorities === undefined ? [] : ['env', `NODE_EXTRA_CA_CERTS=${authorities}`]),
    process.execPath,
    `--max-old-space-size=${Math.floor(memoryMb * HEAP_SHARE)}`,
    '--disable-proto=delete',
    '--no-warnings',
    ...permissionFlags(process.versions.node),
    ...(loadsNativeParts ? ['--allow-addons'] : []),
    `--allow-fs-read=${program}`,
    `--allow-fs-read=${folder}/*`,
    program,
  ];
}

function roomFor(folder: string): string[] {
  const above = dirname(folder);
  return above === '/' ? [] : [...roomFor(above), '--perms', '0755', '--dir', above];
}

/** Node's permission model has had two names, and bounds the network since Node 25; there, the namespace does so. */
export function permissionFlags(nodeVersion: string): string[] {
  const [major = 0, minor = 0] = nodeVersion.split('.').map(Number);
  const isStable = major > 23 || (major === 23 && minor >= 5) || (major === 22 && minor >= 13);
  return [isStable ? '--permission' : '--experimental-permission', ...(major >= 25 ? ['--allow-net'] : [])];
}

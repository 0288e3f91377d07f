// Reads CPU and memory of the service's processes from /proc (Linux).
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

const TICKS_PER_SECOND = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));

/**
 * The parent and the CPU of a process. The CPU includes ended children, so a sum over a process tree never decreases.
 */
function statOf(pid) {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
  return { parent: Number(fields[1]), cpuMs: (ticks * 1_000) / TICKS_PER_SECOND };
}

function allProcesses() {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        return [
          {
            pid: Number(pid),
            ...statOf(pid),
            command: readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' '),
          },
        ];
      } catch {
        return []; // the process has ended meanwhile
      }
    });
}

const APPS = ['api', 'webhook-gateway', 'worker'];

/** The processes of one service, by role. The role `postgres` includes the backends of the server. */
export function findProcesses({ launcherPid, postgresPid, redisPid }) {
  const all = allProcesses();
  const roles = [{ role: 'launcher', pids: [launcherPid] }];
  for (const app of APPS) {
    const pids = all
      .filter((each) => each.parent === launcherPid && each.command.includes(`apps/${app}/main.cjs`))
      .map((each) => each.pid);
    const helpers = all.filter((each) => pids.includes(each.parent)).map((each) => each.pid); // the compiler's process
    roles.push({ role: app, pids: [...pids, ...helpers] });
  }
  if (postgresPid)
    roles.push({
      role: 'postgres',
      pids: [postgresPid, ...all.filter((each) => each.parent === postgresPid).map((each) => each.pid)],
    });
  if (redisPid) roles.push({ role: 'redis', pids: [redisPid] });
  return roles;
}

export function cpuMsByRole(roles) {
  const cpuMs = (pid) => {
    try {
      return statOf(pid).cpuMs;
    } catch {
      return 0; // the process has just ended, and its parent's CPU includes it
    }
  };
  return Object.fromEntries(roles.map(({ role, pids }) => [role, pids.reduce((sum, pid) => sum + cpuMs(pid), 0)]));
}

const rssMbOf = (pid) => {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1_024;
  } catch {
    return 0; // the process has just ended
  }
};

/** The memory of each host of packages that this worker has. What builds its walls is left out: it has 2 MB at most. */
export const rssMbOfHosts = (workerPid) =>
  allProcesses()
    .filter(({ command }) => command.startsWith(process.execPath) && command.includes(`piece-host-${workerPid}-`))
    .map(({ pid }) => Math.round(rssMbOf(pid)));

export function rssMbByRole(roles) {
  return Object.fromEntries(
    roles
      .filter(({ role }) => role !== 'postgres' && role !== 'redis')
      .map(({ role, pids }) => [role, pids.reduce((sum, pid) => sum + rssMbOf(pid), 0)]),
  );
}

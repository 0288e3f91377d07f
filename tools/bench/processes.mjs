// CPU and memory of the service's processes, read from /proc (Linux).
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

const TICKS_PER_SECOND = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));

function statOf(pid) {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return { parent: Number(fields[1]), cpuMs: ((Number(fields[11]) + Number(fields[12])) * 1_000) / TICKS_PER_SECOND };
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
        return []; // it has ended meanwhile
      }
    });
}

const APPS = ['api', 'webhook-gateway', 'worker'];

/** The processes of one service by role; a PostgreSQL server counts with its backends. */
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

/** CPU used so far by each process that is still there. */
export function cpuMsByPid(roles) {
  const byPid = new Map();
  for (const pid of roles.flatMap(({ pids }) => pids)) {
    try {
      byPid.set(pid, statOf(pid).cpuMs);
    } catch {
      continue; // a database backend may end between two readings
    }
  }
  return byPid;
}

export function cpuMsByRole(roles) {
  const byPid = cpuMsByPid(roles);
  return Object.fromEntries(
    roles.map(({ role, pids }) => [role, pids.reduce((sum, pid) => sum + (byPid.get(pid) ?? 0), 0)]),
  );
}

export function rssMbByRole(roles) {
  const rssOf = (pid) => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1_024;
  return Object.fromEntries(
    roles
      .filter(({ role }) => role !== 'postgres' && role !== 'redis')
      .map(({ role, pids }) => [role, pids.reduce((sum, pid) => sum + rssOf(pid), 0)]),
  );
}

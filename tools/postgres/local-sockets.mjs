/**
 * A server on this machine is reached by a socket in its own folder, which costs less than the loopback network
 * (docs/performance.md). Its port is there for everybody else, and where the folder cannot hold a socket.
 */
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { makePrivateFolder } from './account.mjs';

/** The shortest bound of all systems on a socket's path, its ending included. */
const LONGEST_PATH_BYTES = 103;
const LARGEST_PORT = 65_535;

const socketFile = (folder, port) => join(folder, `.s.PGSQL.${port}`);

/** False where a path is too long for a socket, or cannot be written into the server's settings. */
export function canHoldSockets(folder) {
  if (process.platform === 'win32' || /["\\]/.test(folder)) return false;
  return Buffer.byteLength(socketFile(folder, LARGEST_PORT)) <= LONGEST_PATH_BYTES;
}

/**
 * Empty, for a server that starts now: to PostgreSQL the socket of a dead one belongs to whatever process has its number.
 * @returns the folder, or undefined when the server has to do without
 */
export function emptySocketFolder(folder, account) {
  if (!canHoldSockets(folder)) return undefined;
  rmSync(folder, { recursive: true, force: true });
  makePrivateFolder(folder, account);
  return folder;
}

/** The same database by its socket; by its port when there is none, as with a server that an older version started. */
export function localUrl(url, folder) {
  const { port } = new URL(url);
  return existsSync(socketFile(folder, port)) ? `${url}?host=${encodeURIComponent(folder)}` : url;
}

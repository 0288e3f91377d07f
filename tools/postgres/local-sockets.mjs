/**
 * Our apps reach the server of this machine by a socket in its folder, which costs less than the loopback network
 * (docs/performance.md). The port serves all other programs, and our apps where the folder cannot hold a socket.
 */
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { makePrivateFolder } from './account.mjs';

/** The longest path of a socket, in bytes, that every system accepts. */
const LONGEST_PATH_BYTES = 103;
const LARGEST_PORT = 65_535;

const socketFile = (folder, port) => join(folder, `.s.PGSQL.${port}`);

/** Whether the folder can hold a socket. It cannot on Windows, or when its path is too long or has a quote in it. */
export function canHoldSockets(folder) {
  if (process.platform === 'win32' || /["\\]/.test(folder)) return false;
  return Buffer.byteLength(socketFile(folder, LARGEST_PORT)) <= LONGEST_PATH_BYTES;
}

/**
 * Makes an empty folder for the sockets of a server that starts now. PostgreSQL would take the socket of a dead server
 * for a live one when another process has the dead server's number.
 * @returns the folder, or undefined when it cannot hold a socket
 */
export function emptySocketFolder(folder, account) {
  if (!canHoldSockets(folder)) return undefined;
  rmSync(folder, { recursive: true, force: true });
  makePrivateFolder(folder, account);
  return folder;
}

/** The URL of the database by its socket. It is the URL by port when the server, of an older version, has no socket. */
export function localUrl(url, folder) {
  const { port } = new URL(url);
  return existsSync(socketFile(folder, port)) ? `${url}?host=${encodeURIComponent(folder)}` : url;
}

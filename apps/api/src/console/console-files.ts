import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** Beside the program in an image, and beside the folder of the program in `dist/apps`. */
const PLACES = ['console', '../console'];

/** Returns the folder of the built console, or null when it was not built. */
export function consoleFolder(programFolder: string): string | null {
  const places = PLACES.map((place) => join(programFolder, place));
  return places.find((place) => existsSync(join(place, 'index.html'))) ?? null;
}

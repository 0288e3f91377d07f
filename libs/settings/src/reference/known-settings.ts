import { SETTINGS } from '../schema/schema';
import type { Reader, Settings } from '../value-types/setting';

/** What the launcher has to know of a setting before anything is built. */
export interface LaunchedSetting {
  readBy: readonly Reader[];
  /** The default as the text of a variable. */
  default?: string;
}

/** What tools/start/known-settings.json says. The launcher gives each app the settings that the app reads. */
export const knownSettings = (): Record<string, LaunchedSetting> =>
  Object.fromEntries(
    Object.entries(SETTINGS as Settings)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, { readBy, default: value }]) => [
        name,
        { readBy, ...(readBy.includes('npm start') && value !== undefined && { default: String(value) }) },
      ]),
  );

import { SETTINGS_FROM_API } from '@millrace/domain';
import type { ApiSettings } from '../settings/config';

/** The settings that workers have to read as the api does, as variables of an environment. */
export const settingsForWorkers = (
  settings: Pick<ApiSettings, (typeof SETTINGS_FROM_API)[number]>,
): Record<string, string> =>
  Object.fromEntries(
    SETTINGS_FROM_API.flatMap((name) => (settings[name] === undefined ? [] : [[name, String(settings[name])]])),
  );

import { SETTINGS_FROM_API } from '@millrace/domain';
import { publicUrl } from '@millrace/http';
import type { ApiSettings } from '../settings/config';

type Told = Pick<ApiSettings, (typeof SETTINGS_FROM_API)[number] | 'SVC_HOST' | 'SVC_PORT'>;

/**
 * The settings that workers have to read as the api does, as variables of an environment. They are told where the links
 * of the api begin also when that is not set: the address of a worker is nobody's to call.
 */
export function settingsForWorkers(settings: Told): Record<string, string> {
  const told = { ...settings, SVC_PUBLIC_URL: publicUrl(settings) };
  return Object.fromEntries(
    SETTINGS_FROM_API.flatMap((name) => (told[name] === undefined ? [] : [[name, String(told[name])]])),
  );
}

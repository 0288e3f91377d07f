import { SETTINGS_FROM_API } from '@millrace/domain';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The environment with the settings that the api has told, where it has none of its own. The hours of retention win over
 * its days, so they are taken together or not at all.
 */
export function withSettingsOfApi(environment: Environment, told: Environment): Environment {
  const has = (name: string): boolean => (environment[name] ?? '') !== '';
  const taken = SETTINGS_FROM_API.filter(
    (name) =>
      !has(name) && !(name === 'SVC_EXECUTION_DATA_RETENTION_HOURS' && has('SVC_EXECUTION_DATA_RETENTION_DAYS')),
  );
  return { ...environment, ...Object.fromEntries(taken.map((name) => [name, told[name]])) };
}

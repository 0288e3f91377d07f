import { cleanEnv, type CleanedEnv, type ValidatorSpec } from 'envalid';
import { isKnownSetting } from './setting-names';

/** Thrown when variables are missing or wrong. The message has a line for each, with the allowed values. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';
}

/** The exit code for a wrong configuration (EX_CONFIG), which a restart does not mend. */
export const EXIT_WRONG_SETTINGS = 78;

type Specs = Record<string, ValidatorSpec<unknown>>;
type Environment = Readonly<Record<string, string | undefined>>;

const toStandardError = (line: string): void => void process.stderr.write(`${line}\n`);

/**
 * Parses the variables that an app declares. An empty variable counts as not set. Throws SettingsError when one is
 * missing or wrong. Warns of SVC_* variables that no app reads: they are misspelt, or meant for another version.
 */
export function readSettings<S extends Specs>(
  specs: S,
  environment: Environment,
  warn: (line: string) => void = toStandardError,
): CleanedEnv<S> {
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''));
  for (const name of Object.keys(given))
    if (name.startsWith('SVC_') && !(name in specs) && !isKnownSetting(name))
      warn(`Warning: ${name} is not a setting that this version reads; it is ignored.`);
  // The result of envalid is a proxy that throws for unknown names, and Nest reads some, so it is copied.
  const parsed = cleanEnv(given, specs, {
    reporter({ errors }) {
      const problems = Object.entries(errors).map(([name, error]) => describe(name, error as Error, specs[name]));
      if (problems.length > 0) throw new SettingsError(problems.join('\n'));
    },
  });
  return { ...parsed };
}

/** Describes a wrong setting without its value, which may be a secret. */
function describe(name: string, error: Error, spec: ValidatorSpec<unknown> | undefined): string {
  const purpose = spec?.desc ? ` (${spec.desc})` : '';
  if (error.name === 'EnvMissingError') return `${name} is not set${purpose}.`;
  const allowed = spec?.choices ? `must be one of ${spec.choices.join(', ')}` : error.message;
  return `${name} is wrong${purpose}: ${allowed}.`;
}

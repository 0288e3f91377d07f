import { cleanEnv, type CleanedEnv, type ValidatorSpec } from 'envalid';
import { isKnownSetting } from './setting-names';

/** Thrown when a variable is missing or wrong; the message names each and what is allowed. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';
}

/** The exit code for a wrong configuration (EX_CONFIG): restarting does not help. */
export const EXIT_WRONG_SETTINGS = 78;

type Specs = Record<string, ValidatorSpec<unknown>>;
type Environment = Readonly<Record<string, string | undefined>>;

const toStandardError = (line: string): void => void process.stderr.write(`${line}\n`);

/**
 * Parses the variables an app declares, once, at its start. A variable set to nothing counts as not set.
 * Throws SettingsError; warns of SVC_* variables that nothing reads: they are misspelt, or for another version.
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
  // Envalid's own object is a proxy that throws for every name it does not know; Nest asks for some.
  const parsed = cleanEnv(given, specs, {
    reporter({ errors }) {
      const problems = Object.entries(errors).map(([name, error]) => describe(name, error as Error, specs[name]));
      if (problems.length > 0) throw new SettingsError(problems.join('\n'));
    },
  });
  return { ...parsed };
}

/** The wrong value itself is left out: it may be a secret. */
function describe(name: string, error: Error, spec: ValidatorSpec<unknown> | undefined): string {
  const purpose = spec?.desc ? ` (${spec.desc})` : '';
  if (error.name === 'EnvMissingError') return `${name} is not set${purpose}.`;
  const allowed = spec?.choices ? `must be one of ${spec.choices.join(', ')}` : error.message;
  return `${name} is wrong${purpose}: ${allowed}.`;
}

import type { SettingType } from './setting';

/** Any text. */
export const text = (allowed = 'a text'): SettingType<string> => ({ allowed, parse: (given) => given });

/** A text of this form. */
export const textLike = (form: RegExp, allowed: string): SettingType<string> => ({
  allowed,
  parse: (given) => (form.test(given) ? given : null),
});

/** A text that passes the check. */
export const textThat = (passes: (given: string) => boolean, allowed: string): SettingType<string> => ({
  allowed,
  parse: (given) => (passes(given) ? given : null),
});

export const oneOf = <const T extends string>(...values: readonly T[]): SettingType<T> => ({
  allowed: values.length === 1 ? `\`${values[0]}\`` : `one of ${values.map((value) => `\`${value}\``).join(', ')}`,
  parse: (given) => values.find((value) => value === given) ?? null,
});

const WORDS: Readonly<Record<string, boolean>> = {
  ...{ true: true, t: true, yes: true, on: true, '1': true },
  ...{ false: false, f: false, no: false, off: false, '0': false },
};

export const yesOrNo: SettingType<boolean> = {
  allowed: '`true` or `false`',
  parse: (given) => WORDS[given.toLowerCase()] ?? null,
};

/** A whole number within bounds. */
export const wholeNumber = (least: number, most = Number.MAX_SAFE_INTEGER): SettingType<number> => ({
  allowed: `a whole number ${range(least, most)}`,
  parse: (given) => numberWithin(given, least, most, Number.isInteger),
});

/** A number within bounds, which may have a fraction. */
export const number = (least: number, most: number): SettingType<number> => ({
  allowed: `a number ${range(least, most)}`,
  parse: (given) => numberWithin(given, least, most, Number.isFinite),
});

/** A number above zero, which may have a fraction. */
export const positiveNumber: SettingType<number> = {
  allowed: 'a number above 0',
  parse: (given) => numberWithin(given, Number.MIN_VALUE, Number.MAX_VALUE, Number.isFinite),
};

/** A TCP port; 0 lets the system choose. */
export const port: SettingType<number> = {
  allowed: 'a port from 0 to 65535',
  parse: (given) => numberWithin(given, 0, 65_535, Number.isInteger),
};

/** Texts with commas between them. */
export const listOf = (passes: (entry: string) => boolean, allowed: string): SettingType<string[]> => ({
  allowed,
  parse(given) {
    const entries = given
      .split(',')
      .map((entry) => entry.trim())
      .filter(Boolean);
    return entries.every(passes) ? entries : null;
  },
});

const range = (least: number, most: number): string =>
  most === Number.MAX_SAFE_INTEGER ? `of at least ${least}` : `from ${least} to ${most}`;

function numberWithin(given: string, least: number, most: number, isOne: (value: unknown) => boolean): number | null {
  const value = Number(given);
  return given.trim() !== '' && isOne(value) && value >= least && value <= most ? value : null;
}

/**
 * The messages of the commands: one line per step, with the seconds since the command began, and repeated lines while a
 * step takes long.
 */
import { parseArgs } from 'node:util';

const began = performance.now();

/** Ends a command for a reason that a person can act on. The message says what happened and what to do. */
export class CannotContinue extends Error {
  exitCode = 1;
}

/** Ends a command because of a setting, which a restart would read again: EX_CONFIG, as the apps exit with. */
export class WrongSettings extends CannotContinue {
  /** @override */
  exitCode = 78;
}

/** Ends a command because of its arguments: EX_USAGE, as the apps exit with. */
export class WrongArguments extends CannotContinue {
  /** @override */
  exitCode = 64;
}

/**
 * Returns the options that the command line has. It ends the process with one sentence where it has others.
 * @template {NonNullable<import('node:util').ParseArgsConfig['options']>} const Options
 * @param {Options} options
 * @returns {ReturnType<typeof parseArgs<{ options: Options }>>['values']}
 */
export function readOptions(options) {
  try {
    return parseArgs({ options }).values;
  } catch (error) {
    const known = Object.keys(options).map((name) => `--${name}`);
    return giveUp(
      new WrongArguments(
        `${String(/** @type {Error} */ (error).message).split('. ', 1)[0]}. The options are ${known.join(', ')}.`,
      ),
    );
  }
}

/**
 * Returns a whole number from `least` that an option has. It ends the process with one sentence where it has another.
 * @returns {number}
 */
export function wholeNumberOf(name, value, least = 0) {
  const number = Number(value);
  if (Number.isSafeInteger(number) && number >= least && value.trim() !== '') return number;
  return giveUp(new WrongArguments(`--${name} is wrong: it must be a whole number from ${least}.`));
}

export function say(message) {
  console.log(`[${((performance.now() - began) / 1000).toFixed(1).padStart(5)} s] ${message}`);
}

/**
 * Prints `message`, and repeats it with the elapsed seconds until `work` settles. Resolves with the result of `work`.
 */
export async function during(message, work, everySeconds = 10) {
  say(`${message} …`);
  const start = performance.now();
  const signOfLife = setInterval(() => {
    say(`${message}: ${Math.round((performance.now() - start) / 1000)} s so far`);
  }, everySeconds * 1000);
  try {
    return await work();
  } finally {
    clearInterval(signOfLife);
  }
}

/**
 * Ends the process with the exit code of a CannotContinue, or 1. It prints the message of a CannotContinue, and the stack
 * of any other error.
 * @returns {never}
 */
export function giveUp(error) {
  console.error(error instanceof CannotContinue ? `\n${error.message}` : error);
  process.exit(error instanceof CannotContinue ? error.exitCode : 1);
}

/**
 * Keeps the process alive when the reader of its output is gone, for example a killed npm or a closed terminal. The
 * process can then still stop everything in order.
 */
export function outliveTheReader() {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error) => {
      if (error.code !== 'EPIPE' && error.code !== 'EIO') throw error;
    });
  }
}

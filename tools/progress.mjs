/**
 * What the commands tell the person who typed them: one line per step with the seconds since the command began,
 * and a sign of life while something takes long.
 */
const began = performance.now();

/** A reason to stop that a person can act on: its message says what happened and what to do, so no stack is shown. */
export class CannotGoOn extends Error {}

export function say(message) {
  console.log(`[${((performance.now() - began) / 1000).toFixed(1).padStart(5)} s] ${message}`);
}

/** Announces `message`, then repeats it with the seconds gone by until `work` settles. */
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

/** Ends the process: one sentence for what a person can act on, the whole stack for what is our mistake. */
export function giveUp(error) {
  console.error(error instanceof CannotGoOn ? `\n${error.message}` : error);
  process.exit(1);
}

/** The reader of our output may leave before us (npm killed, terminal closed); stopping in order matters more than the words. */
export function outliveTheReader() {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error) => {
      if (error.code !== 'EPIPE' && error.code !== 'EIO') throw error;
    });
  }
}

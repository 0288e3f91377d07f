import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { maskSecrets } from './mask-secrets';
import { Readiness } from './readiness';
import { EXIT_WRONG_SETTINGS, SettingsError } from './settings';

const DRAIN_MS = 30_000;
const SIGNALS = ['SIGTERM', 'SIGINT'] as const;

/** Runs an app's start. Wrong settings end the process with 78 and one line each; anything else with 1 and a stack. */
export function runApp(start: () => Promise<void>): void {
  start().catch((error: unknown) => {
    const isSettings = error instanceof SettingsError;
    const text = isSettings ? error.message : error instanceof Error ? (error.stack ?? error.message) : String(error);
    process.stderr.write(`${maskSecrets(text)}\n`);
    process.exit(isSettings ? EXIT_WRONG_SETTINGS : 1);
  });
}

/** On SIGTERM or SIGINT: not ready at once, then what is in flight is finished, then exit 0; exit 1 after 30 s. */
export function closeOnSignal(app: NestFastifyApplication): void {
  let closing = false;
  const close = async (): Promise<void> => {
    if (closing) return;
    closing = true;
    setTimeout(() => process.exit(1), DRAIN_MS).unref();
    app.get(Readiness, { strict: false }).close();
    await app.close();
    process.exit(0);
  };
  for (const signal of SIGNALS)
    process.on(signal, () => {
      close().catch((error: unknown) => {
        process.stderr.write(`${maskSecrets(String(error))}\n`);
        process.exit(1);
      });
    });
}

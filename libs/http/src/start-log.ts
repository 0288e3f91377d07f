import { Logger } from '@nestjs/common';
import { VERSION } from './version/version';
import { JsonLogger } from './logs/json-logger';

let log: JsonLogger | undefined;

export interface StartFacts {
  /** What the log should say of the settings in force. */
  inForce: object;
  /** Sentences about settings that are ignored. */
  warnings: readonly string[];
}

/**
 * Lets everything in this process log as JSON from now on, also what runs before there is an app, and writes the first
 * lines: what is started, with which settings.
 */
export function startLog(app: string, level: string, { inForce, warnings }: StartFacts): void {
  const logger = (log = new JsonLogger(app, level));
  Logger.overrideLogger(logger);
  logger.log({ msg: 'Starting.', version: VERSION, node: process.version, pid: process.pid, ...inForce }, 'Process');
  for (const warning of warnings) logger.warn(warning, 'Settings');
}

/** Writes why the process ends, unless it ends before its log has begun. */
export function logTheEnd(error: unknown): void {
  if (error instanceof Error) log?.fatal(error, 'Process');
  else log?.fatal(String(error), 'Process');
}

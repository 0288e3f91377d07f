import { EnvError, makeExactValidator, makeValidator, str } from 'envalid';
import { isIP } from 'node:net';

/** A TCP port; 0 lets the system choose. */
export const port = makeValidator<number>((text) => {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 0 || value > 65_535) throw new EnvError('must be a port from 0 to 65535');
  return value;
});

/** A whole number within bounds. */
export const count = (least: number, most: number) =>
  makeExactValidator<number>((text) => {
    const value = Number(text);
    if (!Number.isInteger(value) || value < least || value > most)
      throw new EnvError(`must be a whole number from ${least} to ${most}`);
    return value;
  });

/** A number within bounds, which may have a fraction. */
export const amount = (least: number, most: number) =>
  makeExactValidator<number>((text) => {
    const value = Number(text);
    if (text.trim() === '' || !(value >= least && value <= most))
      throw new EnvError(`must be a number from ${least} to ${most}`);
    return value;
  });

/** An http or https URL, without slashes at its end. */
export const httpUrl = makeValidator<string>((text) => {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') throw new EnvError('must be an http or https URL');
  return text.replace(/\/+$/, '');
});

const NAMED_RANGES = ['loopback', 'linklocal', 'uniquelocal'];

const proxies = makeValidator<string[]>((text) => {
  const list = text
    .split(',')
    .map((entry) => entry.trim())
    .filter(Boolean);
  for (const entry of list)
    if (!NAMED_RANGES.includes(entry) && isIP(entry.split('/', 1)[0] ?? '') === 0)
      throw new EnvError(`must list addresses, CIDR ranges or ${NAMED_RANGES.join(', ')}, separated by commas`);
  return list;
});

/** Origins of web pages, such as `https://example.com`, with commas between them; `*` stands for all. */
export const origins = makeValidator<string[]>((text) => {
  const list = text
    .split(',')
    .map((entry) => entry.trim())
    .filter(Boolean);
  for (const entry of list)
    if (entry !== '*' && !(URL.canParse(entry) && new URL(entry).origin === entry))
      throw new EnvError('must be * or list origins such as https://example.com, separated by commas');
  return list;
});

/** The settings that every app needs to serve HTTP. */
export const httpEnv = {
  SVC_HOST: str({ default: '127.0.0.1', desc: 'the address to listen on' }),
  SVC_PORT: port({ default: 3000, desc: 'the port of the one base URL' }),
  SVC_PUBLIC_URL: httpUrl({ default: undefined, desc: 'the base URL as callers see it' }),
  SVC_TRUSTED_PROXIES: proxies({ default: ['loopback'], desc: 'whose forwarded addresses count' }),
  SVC_LOG_LEVEL: str({
    choices: ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'],
    default: 'info',
    desc: 'the least severe log lines to write',
  }),
};

/** The settings of apps that receive requests from outside. */
export const shutdownEnv = {
  SVC_SHUTDOWN_DELAY_SECONDS: count(
    0,
    300,
  )({
    default: 5,
    desc: 'how long an app that stops still takes requests, so that load balancers notice first',
  }),
};

/** The parsed values of `httpEnv`. */
export interface HttpSettings {
  SVC_HOST: string;
  SVC_PORT: number;
  SVC_PUBLIC_URL: string | undefined;
  SVC_TRUSTED_PROXIES: string[];
  SVC_LOG_LEVEL: string;
}

/** Returns the base URL as callers see it. */
export const publicUrl = (settings: HttpSettings): string =>
  settings.SVC_PUBLIC_URL ?? `http://${settings.SVC_HOST}:${settings.SVC_PORT}`;

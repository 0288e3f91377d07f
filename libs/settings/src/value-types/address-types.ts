import { isIP } from 'node:net';
import {
  parseAllowList,
  parseConnectTo,
  parseRedisAddress,
  type AllowedTarget,
  type ConnectRule,
} from '@millrace/domain';
import { WrongValue, type SettingType } from './setting';
import { listOf, textThat } from './simple-types';

const protocolOf = (given: string): string => (URL.canParse(given) ? new URL(given).protocol : '');
const isHttp = (given: string): boolean => ['http:', 'https:'].includes(protocolOf(given));

/** An http or https URL. Slashes at its end are taken away. */
export const httpUrl: SettingType<string> = {
  allowed: 'an http or https URL',
  parse: (given) => (isHttp(given) ? given.replace(/\/+$/, '') : null),
};

export const databaseUrl = textThat(
  (given) => /^postgres(ql)?:\/\/[^/]+\/[^/]+/.test(given) && URL.canParse(given),
  'a URL such as `postgres://host:5432/database`, with `user:password@` before the host',
);

/** One Redis, a master that Sentinels watch, or a Cluster. */
export const redisUrl: SettingType<string> = {
  allowed: 'a URL that starts with `redis://`, `redis+sentinel://` or `redis+cluster://`; with `rediss` for TLS',
  parse(given) {
    try {
      parseRedisAddress(given);
      return given;
    } catch (error) {
      throw new WrongValue((error as Error).message);
    }
  },
};

const NAMED_RANGES = ['loopback', 'linklocal', 'uniquelocal'];

/** Addresses of proxies. */
export const proxies = listOf(
  (entry) => NAMED_RANGES.includes(entry) || isIP(entry.split('/', 1)[0] ?? '') !== 0,
  'a list, with commas, of IP addresses, CIDR ranges, `loopback`, `linklocal` and `uniquelocal`',
);

const isOrigin = (entry: string): boolean => URL.canParse(entry) && new URL(entry).origin === entry;

/** Origins of web pages; `*` stands for all. */
export const origins = listOf(
  (entry) => entry === '*' || isOrigin(entry),
  'a list, with commas, of origins such as `https://example.com`, or `*`',
);

const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/;

/** It is compared with `iss` letter by letter, so it is kept as it is written. */
export const issuerUrl = textThat((given) => {
  const url = URL.canParse(given) ? new URL(given) : null;
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && LOOPBACK.test(url.hostname));
  return isSafe && !/[?#@\s]/.test(given);
}, 'an https URL without query and fragment; http only of this machine');

/** Says what is wrong as the parser says it. */
const parsedBy =
  <T>(parser: (text: string) => T): SettingType<T>['parse'] =>
  (given) => {
    try {
      return parser(given);
    } catch (error) {
      throw new WrongValue((error as Error).message);
    }
  };

/** The addresses inside the network that flows may call. */
export const allowList: SettingType<readonly AllowedTarget[]> = {
  allowed: 'a list, with commas, of IP, IP:port, CIDR and CIDR:port',
  parse: parsedBy(parseAllowList),
};

/** Where calls connect to instead of the place that they name. */
export const connectRules: SettingType<readonly ConnectRule[]> = {
  allowed: 'a list, with commas, of `host:port:host:port`, where each part may be empty and the first is a name',
  parse: parsedBy(parseConnectTo),
};

import { isEmailAddress, normalizedEmail } from '@millrace/domain';
import { encryptionEnv, secret, workerTokenEnv } from '@millrace/http';
import { bool, EnvError, makeValidator, str } from 'envalid';

/** The form of an API key: `sk-` and 256 bits as base64url. */
export const API_KEY = /^sk-[A-Za-z0-9_-]{43}$/;

const emailAddress = makeValidator<string>((text) => {
  if (!isEmailAddress(normalizedEmail(text))) throw new EnvError('must be an e-mail address');
  return text;
});

const password = makeValidator<string>((text) => {
  if (text.length < 8 || text.length > 128) throw new EnvError('must have 8 to 128 characters');
  return text;
});

const apiKey = makeValidator<string>((text) => {
  if (!API_KEY.test(text)) throw new EnvError('must be "sk-" and 43 base64url characters');
  return text;
});

const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/;

/** Compared with `iss` letter by letter, so it is kept as it is written. */
const issuerUrl = makeValidator<string>((text) => {
  const url = URL.canParse(text) ? new URL(text) : null;
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && LOOPBACK.test(url.hostname));
  if (!url || !isSafe || /[?#@\s]/.test(text))
    throw new EnvError('must be an https URL without query and fragment; http only of this machine');
  return text;
});

const hasIssuer = (env: Record<string, unknown>): boolean => Boolean(env['SVC_OAUTH_ISSUER']);
const hasAudience = (env: Record<string, unknown>): boolean => Boolean(env['SVC_OAUTH_AUDIENCE']);

export const authEnv = {
  SVC_JWT_SECRET: secret({ desc: 'signs access tokens' }),
  SVC_JWT_PREVIOUS_SECRET: secret({ default: undefined, desc: 'still verifies access tokens during a rotation' }),
  ...encryptionEnv,
  ...workerTokenEnv,
  SVC_SIGN_UP_ENABLED: bool({ default: false, desc: 'whether people sign up without an invitation' }),
  SVC_OAUTH_ISSUER: issuerUrl({
    default: undefined,
    requiredWhen: hasAudience,
    desc: 'whose OAuth 2.0 access tokens are accepted',
  }),
  SVC_OAUTH_AUDIENCE: str({
    default: undefined,
    requiredWhen: hasIssuer,
    desc: 'the audience that such tokens must name',
  }),
  SVC_ADMIN_EMAIL: emailAddress({ default: undefined, desc: 'the first administrator, made when there is none' }),
  SVC_ADMIN_PASSWORD: password({ default: undefined, desc: 'the password of the first administrator' }),
  SVC_ADMIN_API_KEY: apiKey({ default: undefined, desc: 'an API key of the platform, made when it is unknown' }),
};

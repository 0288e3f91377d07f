/** How a webhook can prove that it comes from the right sender. */
export const WEBHOOK_AUTH_TYPES = [
  'none',
  'basic',
  'header',
  'hmac',
  'standard_webhooks',
  'github',
  'stripe',
  'slack',
] as const;
export type WebhookAuthType = (typeof WEBHOOK_AUTH_TYPES)[number];

export const HMAC_ALGORITHMS = ['sha256', 'sha1', 'sha512'] as const;
export type HmacAlgorithm = (typeof HMAC_ALGORITHMS)[number];

export const HMAC_ENCODINGS = ['hex', 'base64'] as const;
export type HmacEncoding = (typeof HMAC_ENCODINGS)[number];

/** The most secrets that are valid at the same time. Each one costs a hash of the body. */
export const MAX_WEBHOOK_SECRETS = 10;

/**
 * What a request must prove before it starts a run, with the secrets in clear. Any of `secrets`, of which there is at
 * least one, makes a good signature. `nothing` is the check of a trigger whose settings are incomplete: no request
 * passes it.
 */
export type SenderCheck =
  | { authType: 'nothing' }
  | { authType: 'basic'; username: string; password: string }
  | { authType: 'header'; headerName: string; headerValue: string }
  | {
      authType: 'hmac';
      secrets: readonly string[];
      headerName: string;
      algorithm: HmacAlgorithm;
      encoding: HmacEncoding;
      prefix: string;
    }
  | { authType: 'standard_webhooks' | 'github' | 'stripe' | 'slack'; secrets: readonly string[] };

import { HMAC_ALGORITHMS, HMAC_ENCODINGS, type WebhookAuthType } from '@millrace/domain';
import { choicesOf, type Props } from '../framework/props';

// The members of the input `authFields`, for each authentication type.

const headerName = { kind: 'text', displayName: 'Header name', required: true } as const;

/** One of the two is required, which no prop can say. */
const SECRETS: Props = {
  secrets: {
    kind: 'array',
    displayName: 'Secrets',
    description:
      'A request that is signed with any of them is accepted, so that a secret can be replaced in two steps.',
    required: false,
    isSecret: true,
  },
  secret: {
    kind: 'text',
    displayName: 'Secret',
    description: 'The same as a list of one secret.',
    required: false,
    isSecret: true,
  },
};

export const AUTH_PROPS: Readonly<Record<WebhookAuthType, Props>> = {
  none: {},
  basic: {
    username: { kind: 'text', displayName: 'User name', required: true },
    password: { kind: 'text', displayName: 'Password', required: true, isSecret: true },
  },
  header: {
    headerName,
    headerValue: { kind: 'text', displayName: 'Header value', required: true, isSecret: true },
  },
  hmac: {
    ...SECRETS,
    headerName: { ...headerName, description: 'The header with the signature of the body.' },
    algorithm: {
      kind: 'dropdown',
      displayName: 'Algorithm',
      required: false,
      defaultValue: 'sha256',
      options: choicesOf(...HMAC_ALGORITHMS),
    },
    encoding: {
      kind: 'dropdown',
      displayName: 'Encoding',
      required: false,
      defaultValue: 'hex',
      options: choicesOf(...HMAC_ENCODINGS),
    },
    prefix: {
      kind: 'text',
      displayName: 'Prefix',
      description: 'What stands before the signature in the header, such as `sha256=`.',
      required: false,
    },
  },
  standard_webhooks: SECRETS,
  github: SECRETS,
  stripe: SECRETS,
  slack: SECRETS,
};

export const CHALLENGE_PROPS: Props = {
  in: {
    kind: 'dropdown',
    displayName: 'Place',
    required: true,
    options: choicesOf('query', 'header'),
  },
  name: {
    kind: 'text',
    displayName: 'Name',
    description: 'The name of the query parameter, such as `hub.challenge`, or of the header.',
    required: true,
  },
};

import { isEmailAddress, normalizedEmail } from '@millrace/domain';
import type { Environment, Settings } from '../value-types/setting';
import { issuerUrl } from '../value-types/address-types';
import { apiKey, bearerToken, encryptionKey, password, secret, sharedPassword } from '../value-types/secret-types';
import { text, textLike, textThat, yesOrNo } from '../value-types/simple-types';

/** Keys and tokens, which `npm start` makes and keeps. */
export const keySettings = {
  SVC_JWT_SECRET: {
    type: secret,
    meaning: 'signs access tokens',
    readBy: ['api', 'npm start'],
    isRequired: true,
    isSecret: true,
    whenUnset: 'made once by `npm start`; else required',
  },
  SVC_JWT_PREVIOUS_SECRET: {
    type: secret,
    meaning: 'still verifies access tokens while some of the earlier secret live',
    readBy: ['api'],
    isSecret: true,
  },
  SVC_ENCRYPTION_KEY: {
    type: encryptionKey,
    meaning: 'wraps the keys that seal stored secrets; the api and the worker need the same one',
    readBy: ['api', 'worker', 'npm start'],
    isRequired: true,
    isSecret: true,
    whenUnset: 'made once by `npm start`; else required',
  },
  SVC_ENCRYPTION_PREVIOUS_KEY: {
    type: encryptionKey,
    meaning: 'opens what an earlier key sealed, [during a rotation](security.md#encryption-at-rest)',
    readBy: ['api', 'worker', 'npm start'],
    isSecret: true,
  },
  SVC_WEBHOOK_KEY: {
    type: encryptionKey,
    meaning:
      'opens the secrets of webhooks: the [key of the gateway](security.md#which-app-has-which-secret), which belongs to the encryption key',
    readBy: ['webhook-gateway'],
    isRequired: true,
    isSecret: true,
    whenUnset: 'made by `npm start`; else required',
  },
  SVC_WEBHOOK_PREVIOUS_KEY: {
    type: encryptionKey,
    meaning: 'the same of the previous encryption key, during a rotation',
    readBy: ['webhook-gateway'],
    isSecret: true,
    whenUnset: 'made by `npm start`',
  },
  SVC_WORKER_TOKEN: {
    type: bearerToken,
    meaning: 'by which the api knows its workers; they need the same one',
    readBy: ['api', 'worker', 'npm start'],
    isRequired: true,
    isSecret: true,
    whenUnset: 'made once by `npm start`; else required',
  },
} as const satisfies Settings;

const isSet = (name: string) => (given: Environment) => Boolean(given[name]);

/** Who may use the service. */
export const userSettings = {
  SVC_ADMIN_EMAIL: {
    type: textThat((given) => isEmailAddress(normalizedEmail(given)), 'an e-mail address'),
    meaning: 'the first administrator, who is made when there is none',
    readBy: ['api', 'npm start'],
    whenUnset: 'made once by `npm start`',
  },
  SVC_ADMIN_PASSWORD: {
    type: password,
    meaning: 'the password of the first administrator',
    readBy: ['api', 'npm start'],
    isSecret: true,
    whenUnset: 'made once by `npm start`',
  },
  SVC_ADMIN_API_KEY: {
    type: apiKey,
    meaning: 'an API key of the platform, which is made when it is unknown',
    readBy: ['api', 'npm start'],
    isSecret: true,
    whenUnset: 'made once by `npm start`',
  },
  SVC_SIGN_UP_ENABLED: {
    type: yesOrNo,
    meaning: '`true` lets people sign up without an invitation; the first user always can',
    readBy: ['api'],
    default: false,
  },
  SVC_OAUTH_ISSUER: {
    type: issuerUrl,
    meaning:
      'whose [OAuth 2.0 access tokens](security.md#sessions-and-keys) are accepted: the issuer as it writes itself in `iss`; needs the audience',
    readBy: ['api'],
    requiredWhen: isSet('SVC_OAUTH_AUDIENCE'),
  },
  SVC_OAUTH_AUDIENCE: {
    type: text(),
    meaning: 'the audience that such tokens must name; needs the issuer',
    readBy: ['api'],
    requiredWhen: isSet('SVC_OAUTH_ISSUER'),
  },
} as const satisfies Settings;

/** The pages that people open in a browser. */
export const consoleSettings = {
  SVC_CONSOLE_ENABLED: {
    type: yesOrNo,
    meaning: 'whether the api serves the [web console](console.md)',
    readBy: ['api'],
    default: true,
  },
} as const satisfies Settings;

/** Who may see the jobs of the queues. */
export const queueBoardSettings = {
  SVC_QUEUE_UI_ENABLED: {
    type: yesOrNo,
    meaning: 'whether `/admin/queues` [shows the jobs of the queues](queue-board.md)',
    readBy: ['api'],
    default: false,
  },
  SVC_QUEUE_UI_USERNAME: {
    type: textLike(/^[^:]+$/, 'a text without colon'),
    meaning: 'the name that `/admin/queues` asks for',
    readBy: ['api'],
    default: 'admin',
  },
  SVC_QUEUE_UI_PASSWORD: {
    type: sharedPassword,
    meaning: 'the password that `/admin/queues` asks for; needed where the board is on',
    readBy: ['api'],
    requiredWhen: ({ SVC_QUEUE_UI_ENABLED: isOn }) => yesOrNo.parse(isOn ?? '') === true,
    isSecret: true,
  },
} as const satisfies Settings;

import { custom, secret, signedIn, type TriedPackage } from './package-case';

/** Choices that a package reads from its vendor, and how it checks a connection. */
export interface ChoiceCase extends TriedPackage {
  /** What the package calls to check a connection, and the answer that it takes for success. Some check nothing. */
  readonly check?: readonly [place: string, answer: unknown];
  /** The choices of an input, of an action or a trigger. */
  readonly choices: {
    readonly name: string;
    readonly propName: string;
    readonly place: string;
    readonly answer: unknown;
    readonly options: readonly object[];
  };
}

const deepseek = 'api.deepseek.com/models';

export const CHOICE_CASES: readonly ChoiceCase[] = [
  {
    piece: 'apitemplate-io',
    version: '0.2.0',
    connection: custom({ region: 'us', apiKey: 'key-template' }),
    check: ['rest-us.apitemplate.io/v2/account-information', { status: 'success' }],
    choices: {
      name: 'createPdf',
      propName: 'templateId',
      place: 'rest-us.apitemplate.io/v2/list-templates',
      answer: { templates: [{ template_id: 't1', name: 'Invoice', format: 'PDF', status: 'ready' }] },
      options: [{ label: 'Invoice (PDF) - ready', value: 't1' }],
    },
  },
  {
    piece: 'baserow',
    version: '0.10.0',
    connection: custom({ apiUrl: 'https://api.baserow.io', authType: 'database_token', token: 'key-baserow' }),
    check: ['api.baserow.io/api/database/tables/all-tables/', [{ id: 7, name: 'Lamps' }]],
    choices: {
      name: 'baserow_row_created',
      propName: 'table_id',
      place: 'api.baserow.io/api/database/tables/all-tables/',
      answer: [{ id: 7, name: 'Lamps' }],
      options: [{ label: 'Lamps', value: 7 }],
    },
  },
  {
    piece: 'deepseek',
    version: '0.1.7',
    connection: secret('key-deepseek'),
    check: [deepseek, { data: [{ id: 'deepseek-chat' }] }],
    choices: {
      name: 'ask_deepseek',
      propName: 'model',
      place: deepseek,
      answer: { data: [{ id: 'deepseek-chat' }] },
      options: [{ label: 'deepseek-chat', value: 'deepseek-chat' }],
    },
  },
  {
    piece: 'drip',
    version: '0.4.7',
    connection: secret('key-drip'),
    choices: {
      name: 'new_subscriber',
      propName: 'account_id',
      place: 'api.getdrip.com/v2/accounts',
      answer: { accounts: [{ id: '9', name: 'Lamps' }] },
      options: [{ label: 'Lamps', value: '9' }],
    },
  },
  {
    piece: 'lemon-squeezy',
    version: '0.1.10',
    connection: secret('key-lemon'),
    check: ['api.lemonsqueezy.com/v1/stores', { data: [] }],
    choices: {
      name: 'order_created',
      propName: 'store_id',
      place: 'api.lemonsqueezy.com/v1/stores',
      answer: { data: [{ id: '1', attributes: { name: 'Lamps' } }] },
      options: [{ label: 'Lamps', value: '1' }],
    },
  },
  {
    piece: 'mistral-ai',
    version: '0.3.0',
    connection: secret('key-mistral'),
    check: ['api.mistral.ai/v1/models', { data: [] }],
    choices: {
      name: 'create_chat_completion',
      propName: 'model',
      place: 'api.mistral.ai/v1/models',
      answer: { data: [{ id: 'mistral-small', name: 'Small' }] },
      options: [{ label: 'Small', value: 'mistral-small' }],
    },
  },
  {
    piece: 'motion',
    version: '0.2.0',
    connection: secret('key-motion'),
    check: ['api.usemotion.com/v1/workspaces', { workspaces: [] }],
    choices: {
      name: 'task-created',
      propName: 'workspaceId',
      place: 'api.usemotion.com/v1/workspaces',
      answer: { workspaces: [{ id: 'w1', name: 'Workshop' }] },
      options: [{ label: 'Workshop', value: 'w1' }],
    },
  },
  {
    piece: 'notion',
    version: '0.7.3',
    connection: custom({ accessToken: 'key-notion' }),
    check: ['api.notion.com/v1/users/me', { object: 'user', id: 'u1' }],
    choices: {
      name: 'create_database_item',
      propName: 'database_id',
      place: 'api.notion.com/v1/search',
      answer: { results: [{ id: 'd1', title: [{ plain_text: 'Lamps' }] }] },
      options: [{ label: 'Lamps', value: 'd1' }],
    },
  },
  {
    piece: 'pandadoc',
    version: '0.2.0',
    connection: secret('key-panda'),
    check: ['api.pandadoc.com/public/v1/documents', { results: [] }],
    choices: {
      name: 'documentCompleted',
      propName: 'template_filter',
      place: 'api.pandadoc.com/public/v1/templates',
      answer: { results: [{ id: '12345678-1', name: 'Offer' }] },
      options: [{ label: 'Offer - 12345678...', value: '12345678-1' }],
    },
  },
  {
    piece: 'slack',
    version: '0.17.9',
    connection: custom({ botToken: 'key-slack' }),
    check: ['slack.com/api/auth.test', { ok: true }],
    choices: {
      name: 'send_channel_message',
      propName: 'channel',
      place: 'slack.com/api/conversations.list',
      answer: { ok: true, channels: [{ id: 'C1', name: 'general' }] },
      options: [{ label: 'general', value: 'C1' }],
    },
  },
  {
    piece: 'webflow',
    version: '0.3.0',
    connection: secret('token-webflow'),
    auth: signedIn,
    choices: {
      name: 'new_submission',
      propName: 'site_id',
      place: 'api.webflow.com/sites',
      answer: [{ _id: 's1', name: 'Lamps' }],
      options: [{ label: 'Lamps', value: 's1' }],
    },
  },
  {
    piece: 'zoho-bookings',
    version: '0.1.6',
    connection: secret('token-zoho'),
    auth: { ...signedIn, props: { location: 'zoho.in' } },
    choices: {
      name: 'fetchAvailability',
      propName: 'workspace_id',
      place: 'www.zohoapis.in/bookings/v1/json/workspaces',
      answer: { response: { returnvalue: { data: [{ id: 'w1', name: 'Workshop' }] } } },
      options: [{ label: 'Workshop', value: 'w1' }],
    },
  },
];

// Actions of published packages, each with the call that its vendor gets.

export interface PackageCase {
  piece: string;
  version: string;
  action: string;
  connection: { type: 'SECRET_TEXT' | 'CUSTOM_AUTH' | 'BASIC_AUTH'; value: object };
  /** How the step names the connection. Packages that only sign in take a token that was made elsewhere. */
  auth?: unknown;
  input?: Record<string, unknown>;
  /** `POST https://host/path`, as the vendor gets it. What packages add to a query by themselves is left out. */
  call: string;
  credentials: string;
  /** Members of the form or the JSON that the vendor gets. */
  body?: Record<string, unknown>;
  answer: unknown;
  output: unknown;
}

const secret = (text: string) => ({ type: 'SECRET_TEXT' as const, value: { secret_text: text } });
const custom = (props: object) => ({ type: 'CUSTOM_AUTH' as const, value: { props } });
const signedIn = { access_token: '{{ connections.vendor }}' };
const ada = { object: 'user', id: 'u1', name: 'Ada', type: 'person', person: { email: 'ada@example.com' } };

export const PACKAGE_CASES: readonly PackageCase[] = [
  {
    piece: 'baserow',
    version: '0.10.0',
    action: 'baserow_list_rows',
    connection: custom({ apiUrl: 'https://api.baserow.io', authType: 'database_token', token: 'key-baserow' }),
    input: { table_id: 7, limit: 2 },
    call: 'GET https://api.baserow.io/api/database/rows/table/7/?user_field_names=true&page=1&size=2',
    credentials: 'Token key-baserow',
    answer: { count: 1, next: null, previous: null, results: [{ id: 1, Name: 'Lamp' }] },
    output: { count: 1, rows: [{ id: 1, Name: 'Lamp' }] },
  },
  {
    piece: 'contentful',
    version: '0.2.0',
    action: 'contentful_record_get',
    connection: custom({ apiKey: 'key-contentful', space: 'space1', environment: 'master' }),
    input: { entityId: 'e1' },
    call: 'GET https://api.contentful.com/spaces/space1/environments/master/entries/e1',
    credentials: 'Bearer key-contentful',
    answer: { sys: { id: 'e1' }, fields: { title: { 'en-US': 'Lamp' } } },
    output: { sys: { id: 'e1' }, fields: { title: { 'en-US': 'Lamp' } } },
  },
  {
    piece: 'deepseek',
    version: '0.1.7',
    action: 'ask_deepseek',
    connection: secret('key-deepseek'),
    input: {
      ...{ model: 'deepseek-chat', prompt: 'Hello', responseFormat: 'text', maxTokens: 9 },
      ...{ frequencyPenalty: 0, presencePenalty: 0, temperature: 1, topP: 1 },
    },
    call: 'POST https://api.deepseek.com/chat/completions',
    credentials: 'Bearer key-deepseek',
    body: { model: 'deepseek-chat', max_tokens: 9 },
    answer: { choices: [{ message: { role: 'assistant', content: 'Hello, Ada.' } }] },
    output: 'Hello, Ada.',
  },
  {
    piece: 'digital-ocean',
    version: '0.0.8',
    action: 'list_domains',
    connection: secret('key-ocean'),
    auth: signedIn,
    call: 'GET https://api.digitalocean.com/v2/domains',
    credentials: 'Bearer key-ocean',
    answer: { domains: [{ name: 'example.com' }], meta: { total: 1 } },
    output: { domains: [{ name: 'example.com' }], meta: { total: 1 } },
  },
  {
    piece: 'greenhouse',
    version: '0.1.0',
    action: 'find_candidate',
    connection: secret('token-greenhouse'),
    auth: signedIn,
    input: { email: 'ada@example.com' },
    call: 'GET https://harvest.greenhouse.io/v3/candidates?email=ada%40example.com',
    credentials: 'Bearer token-greenhouse',
    answer: [{ id: 1, email_addresses: [{ value: 'ada@example.com' }] }],
    output: { found: true, id: 1, primary_email: 'ada@example.com' },
  },
  {
    piece: 'harvest',
    version: '0.2.0',
    action: 'get_clients',
    connection: secret('token-harvest'),
    auth: signedIn,
    call: 'GET https://api.harvestapp.com/v2/clients',
    credentials: 'Bearer token-harvest',
    answer: { clients: [{ id: 1 }] },
    output: { clients: [{ id: 1 }] },
  },
  {
    piece: 'intercom',
    version: '0.7.5',
    action: 'list-all-tags',
    connection: custom({ accessToken: 'key-intercom', region: 'intercom' }),
    call: 'GET https://api.intercom.io/tags',
    credentials: 'Bearer key-intercom',
    answer: { type: 'list', data: [{ id: '1', name: 'vip' }] },
    output: { type: 'list', data: [{ id: '1', name: 'vip' }] },
  },
  {
    piece: 'lemlist',
    version: '0.1.10',
    action: 'searchLead',
    connection: secret('key-lemlist'),
    input: { email: 'ada@example.com' },
    call: 'GET https://api.lemlist.com/api/leads/ada@example.com?version=v2',
    credentials: `Basic ${Buffer.from(':key-lemlist').toString('base64')}`,
    answer: { email: 'ada@example.com' },
    output: { found: false, message: 'No leads found for ada@example.com' },
  },
  {
    piece: 'lemon-squeezy',
    version: '0.1.10',
    action: 'list_products',
    connection: secret('key-lemon'),
    call: 'GET https://api.lemonsqueezy.com/v1/products',
    credentials: 'Bearer key-lemon',
    answer: { data: [{ id: '1' }] },
    output: { data: [{ id: '1' }] },
  },
  {
    piece: 'mistral-ai',
    version: '0.3.0',
    action: 'list_models',
    connection: secret('key-mistral'),
    call: 'GET https://api.mistral.ai/v1/models',
    credentials: 'Bearer key-mistral',
    answer: { object: 'list', data: [{ id: 'small' }] },
    output: { object: 'list', data: [{ id: 'small' }] },
  },
  {
    piece: 'notion',
    version: '0.7.3',
    action: 'notion_list_users',
    connection: custom({ accessToken: 'key-notion' }),
    call: 'GET https://api.notion.com/v1/users?page_size=100',
    credentials: 'Bearer key-notion',
    answer: { object: 'list', results: [ada], has_more: false, next_cursor: null },
    output: { users: [{ id: 'u1', name: 'Ada', type: 'person', email: 'ada@example.com' }], count: 1 },
  },
  {
    piece: 'pandadoc',
    version: '0.2.0',
    action: 'findDocument',
    connection: secret('key-panda'),
    input: { q: 'lamp' },
    call: 'GET https://api.pandadoc.com/public/v1/documents?q=lamp',
    credentials: 'API-Key key-panda',
    answer: { results: [{ id: 'd1' }] },
    output: { results: [{ id: 'd1' }] },
  },
  {
    piece: 'shopify',
    version: '0.3.0',
    action: 'get_locations',
    connection: custom({ shopName: 'lamps', adminToken: 'key-shopify' }),
    call: 'GET https://lamps.myshopify.com/admin/api/2023-10/locations.json',
    credentials: 'key-shopify',
    answer: { locations: [{ id: 1 }] },
    output: [{ id: 1 }],
  },
  {
    piece: 'slack',
    version: '0.17.9',
    action: 'slack_post_message',
    connection: custom({ botToken: 'xoxb-key-slack' }),
    input: { channel: 'C1', text: 'Hello' },
    call: 'POST https://slack.com/api/chat.postMessage',
    credentials: 'Bearer xoxb-key-slack',
    body: { channel: 'C1', text: 'Hello' },
    answer: { ok: true, channel: 'C1', ts: '1.2' },
    output: { ok: true, channel: 'C1', ts: '1.2' },
  },
  {
    piece: 'webflow',
    version: '0.3.0',
    action: 'list_sites',
    connection: secret('token-webflow'),
    auth: signedIn,
    call: 'GET https://api.webflow.com/sites',
    credentials: 'Bearer token-webflow',
    answer: { sites: [{ id: 's1' }] },
    output: { sites: [{ id: 's1' }] },
  },
  {
    piece: 'woocommerce',
    version: '0.4.0',
    action: 'Get Order',
    connection: custom({ baseUrl: 'https://shop.example.com', consumerKey: 'key', consumerSecret: 'secret' }),
    input: { id: '7' },
    call: 'GET https://shop.example.com/wp-json/wc/v3/orders/7',
    credentials: `Basic ${Buffer.from('key:secret').toString('base64')}`,
    answer: { id: 7, status: 'paid' },
    output: { id: 7, status: 'paid' },
  },
  {
    piece: 'wordpress',
    version: '0.7.0',
    action: 'get_post_by_id',
    connection: custom({ username: 'ada', password: 'key-press', website_url: 'https://blog.example.com' }),
    input: { post_id: 7 },
    call: 'GET https://blog.example.com/wp-json/wp/v2/posts/7',
    credentials: `Basic ${Buffer.from('ada:key-press').toString('base64')}`,
    answer: { id: 7, title: { rendered: 'Lamps' } },
    output: { id: 7 },
  },
];

/** The hosts that these packages call. */
export const VENDOR_HOSTS: readonly string[] = [...new Set(PACKAGE_CASES.map(({ call }) => hostOf(call)))];

export function hostOf(call: string): string {
  return new URL(call.slice(call.indexOf(' ') + 1)).host;
}

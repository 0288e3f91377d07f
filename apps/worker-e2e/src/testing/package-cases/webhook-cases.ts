import { basic, custom, secret, signedIn, type TriedPackage } from './package-case';

/** A trigger of a published package that registers the URL of its flow at its vendor. */
export interface WebhookCase extends TriedPackage {
  readonly trigger: string;
  readonly input?: Record<string, unknown>;
  /** The call that registers the URL, and what the vendor answers. */
  readonly register: readonly [call: string, answer: unknown];
  /** The call that removes the registration. */
  readonly remove: string;
  readonly credentials: string;
  /** What the vendor sends to the URL. */
  readonly sends: object;
  /** What the package asks its vendor for when it gets it: a host with a path, and the answer. */
  readonly asks?: readonly [place: string, answer: unknown];
  /** The output of the trigger, where it is not what was sent. */
  readonly output?: object;
}

const shop = custom({ baseUrl: 'https://shop.example.com', consumerKey: 'key', consumerSecret: 'secret' });

export const WEBHOOK_CASES: readonly WebhookCase[] = [
  {
    piece: 'drip',
    version: '0.4.7',
    trigger: 'new_subscriber',
    connection: secret('key-drip'),
    input: { account_id: '9' },
    register: ['POST https://api.getdrip.com/v2/9/webhooks', { webhooks: [{ id: 'h1' }] }],
    remove: 'DELETE https://api.getdrip.com/v2/9/webhooks/h1',
    credentials: basic('key-drip'),
    sends: { event: 'subscriber.created', data: { subscriber: { email: 'ada@example.com' } } },
  },
  {
    piece: 'lemlist',
    version: '0.1.10',
    trigger: 'unsubscribedRecipient',
    connection: secret('key-lemlist'),
    register: ['POST https://api.lemlist.com/api/hooks', { _id: 'h1' }],
    remove: 'DELETE https://api.lemlist.com/api/hooks/h1',
    credentials: basic(':key-lemlist'),
    sends: { type: 'emailsUnsubscribed', leadEmail: 'ada@example.com' },
  },
  {
    piece: 'lemon-squeezy',
    version: '0.1.10',
    trigger: 'order_created',
    connection: secret('key-lemon'),
    input: { store_id: '1' },
    register: ['POST https://api.lemonsqueezy.com/v1/webhooks', { data: { id: 'h1' } }],
    remove: 'DELETE https://api.lemonsqueezy.com/v1/webhooks/h1',
    credentials: 'Bearer key-lemon',
    sends: { meta: { event_name: 'order_created' }, data: { id: '7' } },
  },
  {
    piece: 'pandadoc',
    version: '0.2.0',
    trigger: 'documentCompleted',
    connection: secret('key-panda'),
    register: ['POST https://api.pandadoc.com/public/v1/webhook-subscriptions', { uuid: 'h1' }],
    remove: 'DELETE https://api.pandadoc.com/public/v1/webhook-subscriptions/h1',
    credentials: 'API-Key key-panda',
    sends: { event_type: 'document_state_changed', data: { id: 'd1', status: 'document.completed' } },
    output: { id: 'd1', status: 'document.completed' },
  },
  {
    piece: 'shopify',
    version: '0.3.0',
    trigger: 'new_order',
    connection: custom({ shopName: 'lamps', adminToken: 'key-shopify' }),
    register: ['POST https://lamps.myshopify.com/admin/api/2023-01/webhooks.json', { webhook: { id: 5 } }],
    remove: 'DELETE https://lamps.myshopify.com/admin/api/2023-01/webhooks/5.json',
    credentials: 'key-shopify',
    sends: { id: 7, total_price: '19.00' },
  },
  {
    piece: 'surveymonkey',
    version: '0.2.0',
    trigger: 'new_response',
    connection: secret('token-survey'),
    auth: signedIn,
    input: { survey: 's1' },
    register: ['POST https://api.surveymonkey.com/v3/webhooks', { id: 'h1' }],
    remove: 'DELETE https://api.surveymonkey.com/v3/webhooks/h1',
    credentials: 'Bearer token-survey',
    sends: { event_type: 'response_created', object_id: 'r1' },
    asks: ['api.surveymonkey.com/v3/surveys/s1/responses/r1/details', { id: 'r1', pages: [] }],
    output: { id: 'r1', pages: [] },
  },
  {
    piece: 'webflow',
    version: '0.3.0',
    trigger: 'new_submission',
    connection: secret('token-webflow'),
    auth: signedIn,
    input: { site_id: 's1' },
    register: ['POST https://api.webflow.com/sites/s1/webhooks', { _id: 'h1' }],
    remove: 'DELETE https://api.webflow.com/sites/s1/webhooks/h1',
    credentials: 'Bearer token-webflow',
    sends: { name: 'Contact', data: { email: 'ada@example.com' } },
  },
  {
    piece: 'woocommerce',
    version: '0.4.0',
    trigger: '$woocommerce_trigger_product_created',
    connection: shop,
    register: ['POST https://shop.example.com/wp-json/wc/v3/webhooks', { id: 5 }],
    remove: 'DELETE https://shop.example.com/wp-json/wc/v3/webhooks/5',
    credentials: basic('key:secret'),
    sends: { id: 7, name: 'Lamp' },
  },
];

import { createHmac } from 'node:crypto';

// Senders of signed webhooks. The vendors' own libraries sign, so that the checks agree with what really arrives. They
// are loaded at their first use, because most specs need none of them.

/** A webhook as a sender makes it at a time. */
export interface SentWebhook {
  headers: Record<string, string>;
  body: string;
}

export type WebhookSender = (secret: string, body: string, at: Date) => Promise<SentWebhook>;

const JSON_TYPE = { 'content-type': 'application/json' };
const inSeconds = (at: Date): number => Math.floor(at.getTime() / 1_000);

/** What is used of each library. */
interface GitHubLibrary {
  sign(secret: string, payload: string): Promise<string>;
}
interface StripeLibrary {
  default: {
    webhooks: { generateTestHeaderString(signed: { payload: string; secret: string; timestamp: number }): string };
  };
}
interface StandardWebhooksLibrary {
  Webhook: new (secret: string) => { sign(id: string, at: Date, payload: string): string };
}

const library = async <T>(name: string): Promise<T> => (await import(name)) as T;

const github: WebhookSender = async (secret, body) => {
  const { sign } = await library<GitHubLibrary>('@octokit/webhooks-methods');
  return { headers: { ...JSON_TYPE, 'x-hub-signature-256': await sign(secret, body) }, body };
};

const stripe: WebhookSender = async (secret, body, at) => {
  const { default: Stripe } = await library<StripeLibrary>('stripe');
  const signed = { payload: body, secret, timestamp: inSeconds(at) };
  return { headers: { ...JSON_TYPE, 'stripe-signature': Stripe.webhooks.generateTestHeaderString(signed) }, body };
};

const standard_webhooks: WebhookSender = async (secret, body, at) => {
  const { Webhook } = await library<StandardWebhooksLibrary>('standardwebhooks');
  const id = `msg_${inSeconds(at)}`;
  const signature = new Webhook(secret).sign(id, at, body);
  const headers = { 'webhook-id': id, 'webhook-timestamp': String(inSeconds(at)), 'webhook-signature': signature };
  return { headers: { ...JSON_TYPE, ...headers }, body };
};

/** Slack has no public library that signs; its documentation describes the signature. */
const slack: WebhookSender = (secret, body, at) => {
  const time = String(inSeconds(at));
  const signature = `v0=${createHmac('sha256', secret).update(`v0:${time}:${body}`).digest('hex')}`;
  const headers = { 'x-slack-request-timestamp': time, 'x-slack-signature': signature };
  return Promise.resolve({ headers: { ...JSON_TYPE, ...headers }, body });
};

const basic: WebhookSender = (secret, body) => {
  const credentials = Buffer.from(`ada:${secret}`).toString('base64');
  return Promise.resolve({ headers: { ...JSON_TYPE, authorization: `Basic ${credentials}` }, body });
};

const header: WebhookSender = (secret, body) =>
  Promise.resolve({ headers: { ...JSON_TYPE, 'x-api-key': secret }, body });

const hmac: WebhookSender = (secret, body) => {
  const signature = createHmac('sha512', secret).update(body).digest('base64');
  return Promise.resolve({ headers: { ...JSON_TYPE, 'x-signature': `s5=${signature}` }, body });
};

/** A sender for each authentication type that proves something. */
export const WEBHOOK_SENDERS = { basic, header, hmac, standard_webhooks, github, stripe, slack };

/** The `authFields` of a flow that accepts the requests of a sender with this secret. */
export const authFieldsFor = (authType: keyof typeof WEBHOOK_SENDERS, secret: string): Record<string, unknown> =>
  ({
    ...{ standard_webhooks: { secret }, github: { secret }, stripe: { secret }, slack: { secret } },
    basic: { username: 'ada', password: secret },
    header: { headerName: 'X-Api-Key', headerValue: secret },
    hmac: { secrets: [secret], headerName: 'X-Signature', algorithm: 'sha512', encoding: 'base64', prefix: 's5=' },
  })[authType];

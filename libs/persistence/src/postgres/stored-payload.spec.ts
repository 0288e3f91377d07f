import { randomBytes } from 'node:crypto';
import type { RunPayload, WebhookPayload } from '@millrace/domain';
import { decodePayload, encodePayload, encodeWebhook } from './stored-payload';

const webhook = (rawBody: string, bodyKind: WebhookPayload['bodyKind'] = 'json'): WebhookPayload => ({
  request: '{"method":"POST","headers":{"x":"a\\nb\u00fc"},"queryParams":{}}',
  bodyKind,
  rawBody: Buffer.from(rawBody),
});

describe('stored payloads', () => {
  it.each<[string, RunPayload]>([
    ['JSON text', '{"a":1}'],
    [
      'a text with references',
      { text: '"**REDACTED**\ufffd"', references: { to: [['crm', 'plain', 'a\nb']], at: [[1, 0]] } },
    ],
    [
      'a large text with references',
      { text: JSON.stringify(randomBytes(100_000).toString('hex')), references: { to: [], at: [] } },
    ],
    ['a webhook', webhook('{ "a":\n1 }')],
    ['a form', webhook('a=1', 'form')],
    ['text with U+0000', webhook('a\0b', 'text')],
    ['XML', webhook('<a/>', 'xml')],
    ['a body that is in files', webhook('{"fileUrl":"x"}', 'files')],
    ['a webhook without a body', webhook('', 'none')],
    ['a webhook that is compressed', webhook(`"${'x'.repeat(10_000)}"`)],
    ['a large webhook', webhook(`"${randomBytes(300_000).toString('hex')}"`)],
  ])('reads %s back as it was', async (_, payload) => {
    expect(await decodePayload(await encodePayload(payload))).toEqual(payload);
  });

  it('reads a large webhook back that was made at once', async () => {
    const payload = webhook(`"${randomBytes(300_000).toString('hex')}"`);
    expect(await decodePayload(encodeWebhook(payload))).toEqual(payload);
    expect((await encodePayload({ stored: Buffer.from('as it is') })).toString()).toBe('as it is');
  });

  it('holds a body once', async () => {
    const body = randomBytes(40_000).toString('base64');
    expect((await encodePayload(webhook(body, 'text'))).length).toBeLessThan(body.length);
  });
});

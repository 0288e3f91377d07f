import { InvalidWebhookSignatureError, isGenuine, ServiceUnavailableError, type SenderCheck } from '@millrace/domain';
import { HandDrivenClock } from '@millrace/domain/testing';
import { createHmac } from 'node:crypto';
import type { SignedBody } from '../bodies/body-checker';
import { checksWith } from '../testing/a-verification';
import { WebhookVerification } from './webhook-verification';

const LARGE = Buffer.alloc(256 * 1024 + 1, 'x');
const SMALL = LARGE.subarray(1);
const GITHUB: SenderCheck = { authType: 'github', secrets: ['other', 's'] };

/** A thread that answers when `answer` is called. */
function setUp() {
  const asked: (() => void)[] = [];
  const checker = {
    isGenuine: async ({ sender, now, ...request }: SignedBody) => {
      await new Promise<void>((resolve) => asked.push(resolve));
      return { isGenuine: isGenuine(sender, request, now), rawBody: Buffer.from('moved') };
    },
  };
  const subject = new WebhookVerification(checksWith(), new HandDrivenClock(), checker);
  const send = (rawBody: Buffer, headers: Record<string, string>, sender = GITHUB, projectId = 'a') => {
    const request = { headers, rawHeaders: Object.entries(headers).flat(), queryParams: {}, rawBody };
    return subject.verify({ check: { sender, challenge: null }, projectId }, request);
  };
  return { asked, send };
}
const signed = (body: Buffer, secret = 's') => ({
  'x-hub-signature-256': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
});
const settled = () => new Promise(setImmediate);

describe('WebhookVerification', () => {
  it('checks the signature of a body over 256 KB on the thread, and goes on with the body that it gives back', async () => {
    const { asked, send } = setUp();
    const good = send(LARGE, signed(LARGE));
    const bad = send(LARGE, signed(LARGE, 'wrong'));
    await settled();
    expect(asked).toHaveLength(1);

    asked.shift()?.();
    expect(await good).toMatchObject({ request: { rawBody: Buffer.from('moved') } });
    await settled();
    asked.shift()?.();
    await expect(bad).rejects.toThrow(InvalidWebhookSignatureError);
  });

  it('checks all else at once: smaller bodies, and proofs for which no body is hashed', async () => {
    const { asked, send } = setUp();
    const header: SenderCheck = { authType: 'header', headerName: 'x-key', headerValue: 'v' };

    expect(await send(SMALL, signed(SMALL))).toMatchObject({ request: { rawBody: SMALL } });
    await expect(send(SMALL, signed(LARGE))).rejects.toThrow(InvalidWebhookSignatureError);
    expect(await send(LARGE, { 'x-key': 'v' }, header)).toMatchObject({ request: { rawBody: LARGE } });
    await expect(send(LARGE, {}, { authType: 'nothing' })).rejects.toThrow(InvalidWebhookSignatureError);
    expect(asked).toEqual([]);
  });

  it('lets projects take turns, and refuses a request when too many of its project wait', async () => {
    const { asked, send } = setUp();
    const flood = Array.from({ length: 101 }, () => send(LARGE, {}).catch((error: unknown) => error));
    await expect(send(LARGE, {})).rejects.toThrow(ServiceUnavailableError);

    let isDone = false;
    const other = send(LARGE, signed(LARGE), GITHUB, 'b').finally(() => (isDone = true));
    let turns = 0;
    for (; !isDone; turns++) {
      asked.shift()?.();
      await settled();
    }
    expect(await other).toMatchObject({ request: {} });
    expect(turns).toBeLessThan(5);

    for (; turns < 110; turns++) {
      asked.shift()?.();
      await settled();
    }
    for (const refused of await Promise.all(flood)) expect(refused).toBeInstanceOf(InvalidWebhookSignatureError);
  });
});

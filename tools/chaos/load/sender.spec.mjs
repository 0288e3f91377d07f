import { describe, it } from 'node:test';
import { Sender } from './sender.mjs';

describe('a sender of webhooks', () => {
  it('that is stopped lets go whoever waits for more of them, so that an interrupted proof ends', async () => {
    const sender = new Sender({ seed: 1, amount: 100, rate: 1, flowIds: {}, gateways: [] });
    const untilMany = sender.sent(50);

    sender.stop();

    await untilMany;
  });
});

import { webhookKeyOf } from './webhook-key';

describe('webhookKeyOf', () => {
  it('makes the key that the launcher makes', () => {
    const key = webhookKeyOf(Buffer.from('6f1c2b9ad0e84753'.repeat(4), 'hex'));

    expect(key.toString('hex')).toBe('db952efbfe1aefbcd9486277dc89623e34e43f177ca2cf25420440b9d1c18658');
  });
});

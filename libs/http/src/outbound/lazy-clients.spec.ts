import { parseAllowList } from '@millrace/domain';
import { AddressGuard, GuardedHttp, NodemailerMailer } from '../index';

jest.mock('undici', () => {
  throw new Error('undici is loaded');
});
jest.mock('nodemailer', () => {
  throw new Error('nodemailer is loaded');
});

describe('the libraries of outbound calls', () => {
  const guard = new AddressGuard({ allowList: parseAllowList('127.0.0.1') });

  it('are not loaded before the first call', () => {
    expect(new GuardedHttp(guard)).toBeInstanceOf(GuardedHttp);
    expect(new NodemailerMailer(guard)).toBeInstanceOf(NodemailerMailer);
  });

  it.each([GuardedHttp, NodemailerMailer])('take options under a token of their own: %p', (client) => {
    const tokens = Reflect.getMetadata('design:paramtypes', client) as unknown[];

    expect(tokens).not.toContain(Object);
  });

  it('are loaded by it', async () => {
    const call = new GuardedHttp(guard).send({ method: 'GET', url: 'http://127.0.0.1/' });

    await expect(call).rejects.toThrow('undici is loaded');
  });
});

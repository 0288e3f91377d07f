import { withinDeadline } from './within-deadline';

describe('withinDeadline', () => {
  it('gives what the work gives', async () => {
    await expect(withinDeadline(1_000, Promise.resolve('added'))).resolves.toBe('added');
    await expect(withinDeadline(1_000, Promise.reject(new Error('refused')))).rejects.toThrow('refused');
  });

  it('rejects when the work never ends', async () => {
    await expect(withinDeadline(5, new Promise(() => undefined))).rejects.toThrow('did not answer within 5 ms');
  });
});

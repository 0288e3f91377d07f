import { HostUnderTest, RUN } from '../testing/a-piece-host';

const AUTH = { host: 'mail.test', port: '465', secure: 'true', username: 'ann', password: 'p', from: 'ann@mail.test' };
const INPUT = { auth: AUTH, to: ['bob@mail.test'], subject: 'Hello', body: 'Hello, Bob.' };

describe('smtp.send_email', () => {
  let subject: HostUnderTest;
  beforeEach(() => (subject = new HostUnderTest()));

  const send = (input: Record<string, unknown> = {}) => subject.run('smtp.send_email', { ...INPUT, ...input });

  it('sends a message through the server of the connection, under the key of the step', async () => {
    expect(await send({ html: '<p>Hello</p>' })).toMatchObject({
      output: { messageId: '<1@test>', accepted: ['bob@mail.test'] },
    });
    expect(subject.mailer.sent).toEqual([
      {
        message: {
          from: 'ann@mail.test',
          to: ['bob@mail.test'],
          subject: 'Hello',
          text: 'Hello, Bob.',
          html: '<p>Hello</p>',
          headers: { 'Idempotency-Key': RUN.stepKey },
        },
        server: { host: 'mail.test', port: 465, secure: true, username: 'ann', password: 'p' },
        signal: expect.any(AbortSignal),
      },
    ]);
  });

  it('leaves out what it was not given', async () => {
    await send({ auth: { host: 'mail.test', port: 25, from: 'ann@mail.test' } });

    expect(subject.mailer.sent[0]).toMatchObject({ server: { host: 'mail.test', port: 25, secure: false } });
    expect(subject.mailer.sent[0]?.server).not.toHaveProperty('username');
    expect(subject.mailer.sent[0]?.message).not.toHaveProperty('html');
  });

  it.each([
    [{ to: [] }, 'The input "To" must be a list of addresses.'],
    [{ to: ['bob@mail.test', 5] }, 'The input "To" must be a list of addresses.'],
    [{ to: [' '] }, 'The input "To" must be a list of addresses.'],
    [{ to: 'bob@mail.test' }, 'The input "To" (to) must be a list.'],
    [{ subject: '' }, 'The input "Subject" (subject) is required.'],
    [{ auth: undefined }, 'The connection "Mail server" (auth) is required.'],
    [{ auth: { ...AUTH, port: 'x' } }, 'The input "Port" (auth.port) must be a number.'],
  ])('sends nothing with %j', async (input, message) => {
    expect(await send(input)).toMatchObject({ kind: 'failed', message });
    expect(subject.mailer.sent).toEqual([]);
  });
});

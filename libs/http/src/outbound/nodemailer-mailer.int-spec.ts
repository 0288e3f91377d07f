import { OutboundFailure, parseAllowList, type MailMessage, type MailServer } from '@millrace/domain';
import type { AddressInfo } from 'node:net';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { AddressGuard } from './address-guard';
import { NodemailerMailer } from './nodemailer-mailer';

interface Received {
  readonly from: string;
  readonly to: readonly string[];
  readonly name: string;
  readonly text: string;
}

const undo: (() => Promise<void>)[] = [];
afterEach(async () => {
  jest.restoreAllMocks();
  for (const close of undo.splice(0)) await close();
});

async function aMailServer(
  options: SMTPServerOptions = {},
): Promise<{ port: number; mails: Received[]; calls(): number }> {
  const mails: Received[] = [];
  let calls = 0;
  const server = new SMTPServer({
    hideSTARTTLS: true,
    authOptional: true,
    allowInsecureAuth: true,
    closeTimeout: 10,
    onAuth: ({ username, password }, _session, done) =>
      username === 'user' && password === 'right' ? done(null, { user: username }) : done(new Error('no')),
    onConnect: (_session, done) => {
      calls++;
      done();
    },
    onData: (stream, { envelope, hostNameAppearsAs }, done) => {
      const pieces: Buffer[] = [];
      stream.on('data', (piece: Buffer) => pieces.push(piece));
      stream.on('end', () => {
        mails.push({
          from: envelope.mailFrom === false ? '' : envelope.mailFrom.address,
          to: envelope.rcptTo.map(({ address }) => address),
          name: hostNameAppearsAs,
          text: Buffer.concat(pieces).toString(),
        });
        done();
      });
    },
    ...options,
  });
  server.on('error', () => undefined); // in some of these tests the client closes the connection early
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  undo.push(() => new Promise((resolve) => server.close(() => resolve())));
  return { port: (server.server.address() as AddressInfo).port, mails, calls: () => calls };
}

const aMessage = (given: Partial<MailMessage> = {}): MailMessage => ({
  from: 'Flow <flow@example.com>',
  to: ['one@example.com'],
  subject: 'Grüße',
  text: 'Hello.',
  ...given,
});

const aServer = (port: number, given: Partial<MailServer> = {}): MailServer => ({
  host: 'mail.dnstest.invalid',
  port,
  secure: false,
  ...given,
});

const onLoopback = {
  allowList: parseAllowList('127.0.0.1'),
  lookup: () => Promise.resolve([{ address: '127.0.0.1' }]),
};
const mailer = (limitMs?: number): NodemailerMailer =>
  new NodemailerMailer(new AddressGuard(onLoopback), limitMs === undefined ? {} : { limitMs });
const never = new AbortController().signal;

async function failureOf(work: Promise<unknown>): Promise<OutboundFailure> {
  const ending: unknown = await work.catch((error: unknown) => error);
  if (ending instanceof OutboundFailure) return ending;
  throw new Error('the message should have failed, and as the network does', { cause: ending });
}

describe('NodemailerMailer', () => {
  it('sends a message to all its recipients, and keeps the hidden ones hidden', async () => {
    const { port, mails } = await aMailServer();
    const message = aMessage({
      cc: ['two@example.com'],
      bcc: ['three@example.com'],
      replyTo: 'answer@example.com',
      html: '<b>Hello.</b>',
      headers: { 'X-Run': 'r1' },
    });

    const receipt = await mailer().send(message, aServer(port, { username: 'user', password: 'right' }), never);

    const to = ['one@example.com', 'two@example.com', 'three@example.com'];
    expect(receipt).toEqual({ messageId: expect.stringMatching(/^<.+@example\.com>$/), accepted: to });
    expect(mails).toMatchObject([{ from: 'flow@example.com', to, name: '[127.0.0.1]' }]);
    expect(mails[0]?.text).toMatch(/X-Run: r1/);
    expect(mails[0]?.text).toMatch(/Reply-To: answer@example\.com/);
    expect(mails[0]?.text).not.toMatch(/three@example\.com/);
  });

  it('has the user of the server as sender when the message names none', async () => {
    const { port, mails } = await aMailServer({ onAuth: (_auth, _session, done) => done(null, { user: 'u' }) });
    const server = aServer(port, { username: 'user@example.com', password: 'any' });

    await mailer().send(aMessage({ from: undefined }), server, never);

    expect(mails[0]?.from).toBe('user@example.com');
  });

  it.each([['mail.dnstest.invalid'], ['127.0.0.1'], ['127.1'], ['localhost']])(
    'does not connect to %s when the guard does not allow it',
    async (host) => {
      const { port, calls } = await aMailServer();
      const guard = new AddressGuard({ lookup: onLoopback.lookup });

      const failure = await failureOf(new NodemailerMailer(guard).send(aMessage(), aServer(port, { host }), never));

      expect(failure.reason).toBe('refused');
      expect(calls()).toBe(0);
    },
  );

  it('tells of a wrong password in its own words', async () => {
    const { port } = await aMailServer();
    const server = aServer(port, { username: 'user', password: 'wrong' });

    const failure = await failureOf(mailer().send(aMessage(), server, never));

    expect(failure).toMatchObject({
      reason: 'unreachable',
      message: 'The mail server mail.dnstest.invalid does not accept the user name and password.',
    });
  });

  it('says whom the server took, and fails when it took nobody', async () => {
    const { port } = await aMailServer({
      onRcptTo: ({ address }, _session, done) => (address.startsWith('no') ? done(new Error('no')) : done()),
    });

    const some = await mailer().send(aMessage({ to: ['no@example.com', 'yes@example.com'] }), aServer(port), never);
    const none = await failureOf(mailer().send(aMessage({ to: ['no@example.com'] }), aServer(port), never));

    expect(some.accepted).toEqual(['yes@example.com']);
    expect(none.reason).toBe('invalid');
  });

  it.each<[string, Partial<MailMessage>]>([
    ['the subject', { subject: 'a\r\nBcc: all@example.com' }],
    ['a recipient', { to: ['a@example.com\nb@example.com'] }],
    ['a header name', { headers: { 'X-A: b\r\nX-C': 'd' } }],
    ['a header', { headers: { 'X-A': 'b\r\nX-C: d' } }],
  ])('refuses a line break in %s', async (_what, given) => {
    const { port, calls } = await aMailServer();

    expect((await failureOf(mailer().send(aMessage(given), aServer(port), never))).reason).toBe('invalid');
    expect(calls()).toBe(0);
  });

  it('reads no file and no URL for a message', async () => {
    const { port, mails } = await aMailServer();
    const more = { attachments: [{ path: '/etc/hostname' }], raw: 'From: x', text: { path: '/etc/hostname' } };

    const sent = mailer().send({ ...aMessage(), ...more } as unknown as MailMessage, aServer(port), never);

    expect((await failureOf(sent)).reason).toBe('unreachable');
    expect(mails).toEqual([]);
  });

  it('ends with its time limit when the server is silent', async () => {
    const { port } = await aMailServer({ onConnect: () => undefined });

    expect((await failureOf(mailer(100).send(aMessage(), aServer(port), never))).reason).toBe('timeout');
  });

  it('ends when it is stopped', async () => {
    const stop = new AbortController();
    const { port } = await aMailServer({ onConnect: () => stop.abort() });

    expect((await failureOf(mailer().send(aMessage(), aServer(port), stop.signal))).reason).toBe('aborted');
  });

  it('trusts no certificate that nobody has signed', async () => {
    jest.spyOn(console, 'error').mockImplementation(); // smtp-server warns of its own built-in certificate
    const { port, mails } = await aMailServer({ secure: true });

    const failure = await failureOf(mailer().send(aMessage(), aServer(port, { secure: true }), never));

    expect(failure.reason).toBe('unreachable');
    expect(mails).toEqual([]);
  });
});

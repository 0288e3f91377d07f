import { Mailer, OutboundFailure, type MailMessage, type MailReceipt, type MailServer } from '@millrace/domain';
import { Injectable, Optional } from '@nestjs/common';
import type { SendMailOptions, SentMessageInfo } from 'nodemailer';
import { connect, isIP, type Socket } from 'node:net';
import { AddressGuard, type Endpoint } from './address-guard';
import { startDeadline } from './deadline';
import { codeOf } from './failures';
import { OutboundTrust } from './outbound-trust';

const LIMIT_MS = 30_000;
const CONNECT_MS = 10_000;

/** The class is also the token of these options. */
export abstract class NodemailerMailerOptions {
  abstract readonly limitMs?: number;
}

/**
 * Sends mail by SMTP over a connection to an address that the guard has returned. The first message loads nodemailer.
 */
@Injectable()
export class NodemailerMailer extends Mailer {
  constructor(
    private readonly guard: AddressGuard,
    @Optional() private readonly options: NodemailerMailerOptions = {},
    @Optional() private readonly trust: OutboundTrust = {},
  ) {
    super();
  }

  async send(message: MailMessage, server: MailServer, signal: AbortSignal): Promise<MailReceipt> {
    const mail = mailOf(message, message.from ?? server.username);
    const deadline = startDeadline(this.options.limitMs ?? LIMIT_MS, signal);
    let socket: Socket | undefined;
    try {
      const endpoints = await deadline.within(this.guard.resolve(server.host, server.port, deadline.signal));
      socket = await connectToFirst(endpoints, deadline.signal);
      return receiptOf(await deadline.within(deliver(mail, server, socket, this.trust)), server);
    } catch (error) {
      throw asMailFailure(error, server.host);
    } finally {
      socket?.destroy();
      deadline.end();
    }
  }
}

const LINE_BREAK = /[\r\n\0]/;

/** Copies the known fields only, so that other fields, such as attachments by path, never reach nodemailer. */
function mailOf(message: MailMessage, from: string | undefined): SendMailOptions {
  const { to, cc = [], bcc = [], replyTo, subject, text, html, headers = {} } = message;
  if (from === undefined) throw new OutboundFailure('invalid', 'The message has no sender.');
  const lines = [from, ...to, ...cc, ...bcc, replyTo ?? '', subject, ...Object.entries(headers).flat()];
  if (lines.some((line) => LINE_BREAK.test(line)))
    throw new OutboundFailure('invalid', 'An address, the subject or a header of the message has a line break.');
  return {
    from,
    to: [...to],
    cc: [...cc],
    bcc: [...bcc],
    ...(replyTo === undefined ? {} : { replyTo }),
    subject,
    text,
    ...(html === undefined ? {} : { html }),
    headers: { ...headers },
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}

async function connectToFirst(endpoints: readonly Endpoint[], signal: AbortSignal): Promise<Socket> {
  let failure: unknown;
  for (const endpoint of endpoints) {
    signal.throwIfAborted();
    try {
      return await connected(endpoint, signal);
    } catch (error) {
      failure = error;
    }
  }
  signal.throwIfAborted();
  throw failure;
}

function connected({ address, port }: Endpoint, signal: AbortSignal): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: address, port, signal });
    socket.setTimeout(CONNECT_MS, () => socket.destroy(new Error(`no connection within ${CONNECT_MS} ms`)));
    socket.on('error', reject); // the listener stays for errors that occur before nodemailer listens
    socket.once('connect', () => {
      socket.setTimeout(0);
      resolve(socket);
    });
  });
}

async function deliver(
  mail: SendMailOptions,
  server: MailServer,
  connection: Socket,
  trust: OutboundTrust,
): Promise<SentMessageInfo> {
  const { createTransport } = await import('nodemailer');
  const transport = createTransport({
    // The host is an address, so that nodemailer could not resolve a name if it ever connected by itself.
    host: connection.remoteAddress,
    port: server.port,
    secure: server.secure,
    name: '[127.0.0.1]', // the mail server must not learn the name of this machine
    ...(isIP(server.host) === 0 ? { servername: server.host } : {}),
    tls: { ...trust, ...(isIP(server.host) === 0 ? { servername: server.host } : {}) },
    ...(server.username === undefined ? {} : { auth: { user: server.username, pass: server.password ?? '' } }),
    getSocket: (_options: unknown, callback: (error: null, socket: { connection: Socket }) => void) =>
      callback(null, { connection }),
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return transport.sendMail(mail);
}

function receiptOf(info: SentMessageInfo, server: MailServer): MailReceipt {
  const accepted = info.accepted ?? [];
  if (accepted.length === 0)
    throw new OutboundFailure('unreachable', `The mail server ${server.host} accepts the message for no recipient.`);
  return { messageId: info.messageId, accepted };
}

/** Messages for nodemailer's error codes. They do not repeat the text of the server, which may belong to anyone. */
const SENTENCES: Readonly<Record<string, (host: string) => string>> = {
  EAUTH: (host) => `The mail server ${host} does not accept the user name and password.`,
  EENVELOPE: (host) => `The mail server ${host} does not take a message for these addresses.`,
  EMESSAGE: (host) => `The mail server ${host} does not take this message.`,
  ETLS: (host) => `No trusted encrypted connection to the mail server ${host} can be made.`,
};

function asMailFailure(error: unknown, host: string): unknown {
  if (error instanceof OutboundFailure) return error;
  const code = codeOf(error) ?? '';
  const sentence = SENTENCES[code]?.(host) ?? `The mail server ${host} cannot be reached.`;
  return new OutboundFailure(code === 'EENVELOPE' ? 'invalid' : 'unreachable', sentence, { cause: error });
}

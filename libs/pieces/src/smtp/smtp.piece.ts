import type { PieceAuth } from '../framework/auth';
import { ActionFailure, defineAction, definePiece } from '../framework/piece';

const mailServer = {
  kind: 'customAuth',
  displayName: 'Mail server',
  props: {
    host: { kind: 'text', displayName: 'Host', required: true },
    port: { kind: 'number', displayName: 'Port', required: true },
    secure: {
      kind: 'checkbox',
      displayName: 'TLS',
      description: 'Uses TLS from the first byte, as on port 465. Otherwise TLS begins when the server offers it.',
      required: false,
      defaultValue: false,
    },
    username: { kind: 'text', displayName: 'User name', required: false },
    password: { kind: 'text', displayName: 'Password', required: false, isSecret: true },
    from: { kind: 'text', displayName: 'From', required: true },
  },
} as const satisfies PieceAuth;

const sendEmail = defineAction({
  displayName: 'Send Email',
  description: 'Sends a message through your mail server.',
  auth: mailServer,
  output: { messageId: 'The id of the message.', accepted: 'The addresses that the server took it for.' },
  props: {
    to: { kind: 'array', displayName: 'To', required: true },
    subject: { kind: 'text', displayName: 'Subject', required: true },
    body: { kind: 'text', displayName: 'Body', description: 'As plain text.', required: true },
    html: { kind: 'text', displayName: 'HTML', description: 'The same message as HTML.', required: false },
  },
  run: async ({ input: { to, subject, body, html }, auth, mail, run, signal }) => {
    const { from, username, password, ...server } = auth;
    const { messageId, accepted } = await mail.send(
      {
        from,
        to: recipientsOf(to),
        subject,
        text: body,
        ...(html && { html }),
        headers: { 'Idempotency-Key': run.stepKey },
      },
      { ...server, ...(username && { username, password }) },
      signal,
    );
    return { messageId, accepted };
  },
});

function recipientsOf(to: readonly unknown[]): string[] {
  const recipients = to.filter((address) => typeof address === 'string' && address.trim() !== '') as string[];
  if (recipients.length === 0 || recipients.length < to.length)
    throw new ActionFailure('The input "To" must be a list of addresses.');
  return recipients;
}

export const smtp = definePiece({
  name: 'smtp',
  displayName: 'SMTP',
  description: 'Sends mail.',
  category: 'COMMUNICATION',
  keywords: ['email', 'mail', 'send', 'message', 'notify'],
  version: '0.1.0',
  auth: mailServer,
  triggers: {},
  actions: { send_email: sendEmail },
});

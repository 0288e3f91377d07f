import { Mailer, type MailMessage, type MailReceipt, type MailServer } from '@millrace/domain';

/** Accepts every message and keeps it. */
export class RecordingMailer extends Mailer {
  readonly sent: { message: MailMessage; server: MailServer; signal: AbortSignal }[] = [];

  override send(message: MailMessage, server: MailServer, signal: AbortSignal): Promise<MailReceipt> {
    this.sent.push({ message, server, signal });
    return Promise.resolve({ messageId: `<${this.sent.length}@test>`, accepted: message.to });
  }
}

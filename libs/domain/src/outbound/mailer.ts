export interface MailMessage {
  from?: string;
  to: readonly string[];
  cc?: readonly string[];
  bcc?: readonly string[];
  replyTo?: string;
  subject: string;
  text: string;
  html?: string;
  headers?: Readonly<Record<string, string>>;
}

export interface MailServer {
  host: string;
  port: number;
  /** True uses TLS from the first byte. False starts TLS when the server offers it. */
  secure: boolean;
  username?: string;
  password?: string;
}

export interface MailReceipt {
  messageId: string;
  /** The recipients that the server accepted. */
  accepted: readonly string[];
}

/** Sends mail through a server that the author of a flow names. */
export abstract class Mailer {
  /** Throws OutboundFailure when the server is unreachable or forbidden, or accepts the message for no recipient. */
  abstract send(message: MailMessage, server: MailServer, signal: AbortSignal): Promise<MailReceipt>;
}

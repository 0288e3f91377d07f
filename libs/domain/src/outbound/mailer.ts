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
  /** TLS from the first byte. Otherwise TLS is begun when the server offers it. */
  secure: boolean;
  username?: string;
  password?: string;
}

export interface MailReceipt {
  messageId: string;
  /** The recipients that the server took. */
  accepted: readonly string[];
}

/** Sends mail through a server that the author of a flow names. */
export abstract class Mailer {
  /** Throws OutboundFailure when the server cannot be reached, may not be, or takes the message for nobody. */
  abstract send(message: MailMessage, server: MailServer, signal: AbortSignal): Promise<MailReceipt>;
}

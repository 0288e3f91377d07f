import { webhookKeyOf } from '@millrace/domain';
import { readKeySettings } from './config';

/** Prints SVC_WEBHOOK_KEY of the gateway, which belongs to SVC_ENCRYPTION_KEY. It needs no database. */
export function printWebhookKey(): void {
  process.stdout.write(`${webhookKeyOf(readKeySettings().SVC_ENCRYPTION_KEY).toString('hex')}\n`);
}

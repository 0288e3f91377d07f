import { HandDrivenClock } from '@millrace/domain/testing';
import { WebhookChecks } from '../verification/webhook-checks';
import { WebhookVerification } from '../verification/webhook-verification';

/** What checks name, by its id. */
export interface Named {
  secrets?: Readonly<Record<string, string>>;
}

export const checksWith = ({ secrets = {} }: Named = {}): WebhookChecks =>
  new WebhookChecks(
    { find: () => Promise.resolve(new Map(Object.entries(secrets))) },
    { find: () => Promise.resolve(new Map()) },
  );

export const aVerification = (named?: Named): WebhookVerification =>
  new WebhookVerification(checksWith(named), new HandDrivenClock());

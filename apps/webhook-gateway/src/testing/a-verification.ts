import { isGenuine } from '@millrace/domain';
import { HandDrivenClock } from '@millrace/domain/testing';
import type { SignedBody } from '../bodies/body-checker';
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

/** Checks the signatures of large bodies without a thread. */
const withoutThread = {
  isGenuine: ({ sender, now, ...request }: SignedBody) =>
    Promise.resolve({ isGenuine: isGenuine(sender, request, now), rawBody: request.rawBody }),
};

export const aVerification = (named?: Named): WebhookVerification =>
  new WebhookVerification(checksWith(named), new HandDrivenClock(), withoutThread);

import { setTimeout as sleep } from 'node:timers/promises';
import { reasonOf } from '@millrace/domain';
import { Logger } from '@nestjs/common';
import { WrongWorkerTokenError, type Welcome, type WorkerRegistration } from './worker-registration';

const ASK_AGAIN_MS = 250;

/** Whether the api puts its jobs where this worker takes them from. An api of an earlier release does not say. */
export const sharesQueue = ({ queue }: Pick<Welcome, 'queue'>, own: string): boolean =>
  queue === undefined || queue === own;

/** Warns of an api that puts its jobs elsewhere: this worker would wait for them for ever. */
export function warnOfOtherQueue({ queue }: Welcome, own: string, logger = new Logger('Registration')): void {
  if (sharesQueue({ queue }, own)) return;
  logger.warn(
    `This worker takes jobs from ${own}, and its api puts them into ${queue}: it executes nothing. Set SVC_REDIS_URL to the same for all apps.`,
  );
}

/**
 * Registers the worker, and waits for the api where it is away: nobody else can say whether the token is right. Throws
 * WrongWorkerTokenError.
 */
export async function untilRegistered(
  registration: Pick<WorkerRegistration, 'tell' | 'apiUrl'>,
  wait: (ms: number) => Promise<unknown> = sleep,
): Promise<Welcome> {
  const logger = new Logger('Registration');
  for (let hasSaid = false; ; hasSaid = true) {
    try {
      return await registration.tell();
    } catch (error) {
      if (error instanceof WrongWorkerTokenError) throw error;
      if (!hasSaid)
        logger.warn(`Waiting for the api at ${registration.apiUrl} (SVC_API_URL), to register: ${reasonOf(error)}`);
      await wait(ASK_AGAIN_MS);
    }
  }
}

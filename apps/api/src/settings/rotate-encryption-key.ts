import { keyRing, rotateKeys, sessionUrl } from '@millrace/persistence';
import { readRotationSettings } from './config';

/** Performs the rotation that `npm run rotate-encryption-key` asks for, and says what it did. */
export async function rotateEncryptionKey(): Promise<void> {
  const settings = readRotationSettings();
  const { rewrapped, resealed, unreadable } = await rotateKeys(sessionUrl(settings), keyRing(settings));
  say(`${rewrapped} data keys are wrapped by SVC_ENCRYPTION_KEY now, and ${resealed} older secrets are sealed again.`);
  for (const name of unreadable) say(`It is not possible to open ${name}; it stays as it is.`);
  if (unreadable.length > 0) process.exitCode = 1;
  else say('Nothing needs SVC_ENCRYPTION_PREVIOUS_KEY any more.');
}

const say = (line: string): void => void process.stdout.write(`${line}\n`);

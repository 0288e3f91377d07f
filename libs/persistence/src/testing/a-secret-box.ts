import { randomBytes } from 'node:crypto';
import { SecretBox } from '../secrets/secret-box';

/** A box with a key of its own. */
export const aSecretBox = (): SecretBox => new SecretBox(randomBytes(32));

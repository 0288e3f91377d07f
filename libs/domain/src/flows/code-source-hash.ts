import { createHash } from 'node:crypto';

/**
 * The SHA-256 of a code step's source in hexadecimal. What is made from the source, such as its bundle, has this key.
 */
export const codeSourceHash = ({ code, packageJson }: { code: string; packageJson: string }): string =>
  createHash('sha256')
    .update(JSON.stringify(['code', code, packageJson]))
    .digest('hex');

import { createHash } from 'node:crypto';

/** Names the source of a code step by its content: what was made of it, such as its bundle, is kept under this name. */
export const codeSourceHash = ({ code, packageJson }: { code: string; packageJson: string }): string =>
  createHash('sha256')
    .update(JSON.stringify(['code', code, packageJson]))
    .digest('hex');

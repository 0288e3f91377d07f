import type { StoredCodeBundle } from '../flows/code-bundle.store';

export const aCodeBundle = (more: Partial<StoredCodeBundle> = {}): StoredCodeBundle => ({
  script: '(function () { return (input) => input; })',
  scriptHash: 'hash of the script',
  sourceMap: '{"version":3,"mappings":""}',
  ...more,
});

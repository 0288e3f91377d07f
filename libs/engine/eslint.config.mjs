import millrace from '../../eslint.config.mjs';

/**
 * Objects with names take the place of a fifth parameter. The engine is the first project that has none. The rule is
 * here, because the files of a project are named from the project's own folder.
 * @type {import('eslint').Linter.Config}
 */
const fewParameters = {
  files: ['src/**/*.ts'],
  ignores: ['**/*.spec.ts', '**/testing/**'],
  rules: { 'max-params': ['error', { max: 4 }] },
};

export default [...millrace, fewParameters];

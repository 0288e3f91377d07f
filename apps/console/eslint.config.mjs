import tseslint from 'typescript-eslint';
import base from '../../eslint.config.mjs';

const FOR_BROWSERS = 'Browsers get @millrace/domain/browser alone (docs/adr/0087).';

export default tseslint.config(
  ...base,
  {
    files: ['**/*.{ts,tsx}'],
    extends: [...tseslint.configs.recommended],
    languageOptions: { parserOptions: { tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/no-explicit-any': 'error',
      // Components and pages are the browser's, whose one way out is the client of the API.
      'no-restricted-globals': 'off',
    },
  },
  {
    files: ['**/*.{ts,tsx}'],
    ignores: ['**/*.spec.ts', '**/testing/**'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          paths: [{ name: '@millrace/domain', message: FOR_BROWSERS }],
          patterns: [
            {
              group: ['**/testing', '**/testing/**', '@millrace/*/testing'],
              message: 'Production code never imports testing/.',
            },
          ],
        },
      ],
    },
  },
  { files: ['vite.config.ts'], rules: { 'no-restricted-exports': 'off' } },
);

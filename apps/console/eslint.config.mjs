import tseslint from 'typescript-eslint';
import base from '../../eslint.config.mjs';

const FOR_BROWSERS = 'Browsers get @millrace/domain/browser alone (docs/adr/0087).';
const IN_WORDS = 'Words on the screen live in words.ts, so that another language is another catalogue.';
/** Properties that people read or hear. */
const READ = '/^(aria-label|aria-description|alt|label|placeholder|title)$/';

/**
 * No words in components. A sign such as "›" is no word.
 * @type {import('eslint').Linter.Config}
 */
const wordsInCatalogues = {
  files: ['**/*.tsx'],
  rules: {
    'no-restricted-syntax': [
      'error',
      { selector: 'JSXText[value=/\\p{L}/u]', message: IN_WORDS },
      { selector: 'JSXElement > JSXExpressionContainer > Literal[value=/\\p{L}/u]', message: IN_WORDS },
      {
        selector: 'JSXElement > JSXExpressionContainer > TemplateLiteral TemplateElement[value.raw=/\\p{L}/u]',
        message: IN_WORDS,
      },
      { selector: `JSXAttribute[name.name=${READ}] > Literal[value=/\\p{L}/u]`, message: IN_WORDS },
      { selector: `JSXAttribute[name.name=${READ}] TemplateElement[value.raw=/\\p{L}/u]`, message: IN_WORDS },
    ],
  },
};

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
  wordsInCatalogues,
  { files: ['vite.config.ts'], rules: { 'no-restricted-exports': 'off' } },
);

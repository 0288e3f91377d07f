import js from '@eslint/js';
import nx from '@nx/eslint-plugin';
import tseslint from 'typescript-eslint';

/** Rooms count by Durations and Tally and report to Metrics; only `http` knows by which package (docs/adr/0069). */
const TELEMETRY = ['prom-client', '@opentelemetry/*'];

/** Who may import whom (docs/adr/0001). Direction is hard to see in review and costly to repair, so a rule keeps it. */
const importTable = [
  { sourceTag: 'scope:domain', onlyDependOnLibsWithTags: ['scope:domain'], bannedExternalImports: ['*'] },
  {
    sourceTag: 'scope:engine',
    onlyDependOnLibsWithTags: ['scope:domain'],
    bannedExternalImports: ['@nestjs/*', 'typeorm', 'pg', 'bullmq', 'ioredis', 'quickjs-emscripten', ...TELEMETRY],
  },
  {
    sourceTag: 'scope:runner',
    onlyDependOnLibsWithTags: ['scope:domain', 'scope:engine'],
    bannedExternalImports: [
      '@nestjs/bullmq',
      '@nestjs/core',
      'typeorm',
      'pg',
      'bullmq',
      'ioredis',
      'quickjs-emscripten',
      ...TELEMETRY,
    ],
  },
  {
    sourceTag: 'scope:sandbox',
    onlyDependOnLibsWithTags: ['scope:sandbox'],
    bannedExternalImports: ['@nestjs/*', 'typeorm', 'pg', 'bullmq', 'ioredis', ...TELEMETRY],
  },
  {
    sourceTag: 'scope:piece-hosts',
    onlyDependOnLibsWithTags: ['scope:piece-hosts'],
    bannedExternalImports: ['@nestjs/*', 'typeorm', 'pg', 'bullmq', 'ioredis', ...TELEMETRY],
  },
  {
    sourceTag: 'scope:pieces',
    onlyDependOnLibsWithTags: ['scope:domain'],
    bannedExternalImports: ['@nestjs/*', 'typeorm', 'pg', 'bullmq', 'ioredis', ...TELEMETRY],
  },
  {
    sourceTag: 'scope:persistence',
    onlyDependOnLibsWithTags: ['scope:domain'],
    bannedExternalImports: ['fastify', '@nestjs/platform-fastify', ...TELEMETRY],
  },
  {
    sourceTag: 'scope:http',
    onlyDependOnLibsWithTags: ['scope:domain'],
    bannedExternalImports: ['typeorm', 'pg', 'bullmq', 'ioredis'],
  },
  { sourceTag: 'scope:settings', onlyDependOnLibsWithTags: ['scope:domain'], bannedExternalImports: ['*'] },
  {
    sourceTag: 'scope:simulation',
    onlyDependOnLibsWithTags: ['scope:domain', 'scope:engine', 'scope:runner'],
    bannedExternalImports: [
      '@nestjs/bullmq',
      '@nestjs/core',
      'typeorm',
      'pg',
      'bullmq',
      'ioredis',
      'quickjs-emscripten',
    ],
  },
  {
    sourceTag: 'type:app',
    onlyDependOnLibsWithTags: ['type:lib'],
    notDependOnLibsWithTags: ['scope:simulation', 'scope:e2e-support'],
  },
  // It knows the service by its API, and of the rules only @millrace/domain/browser (docs/adr/0087).
  { sourceTag: 'scope:console', onlyDependOnLibsWithTags: ['scope:domain'] },
  { sourceTag: 'scope:e2e-support', onlyDependOnLibsWithTags: ['scope:domain'] },
  { sourceTag: 'type:e2e', onlyDependOnLibsWithTags: ['scope:domain', 'scope:e2e-support'] },
];

const productionFiles = {
  files: ['apps/*/src/**/*.ts', 'libs/*/src/**/*.ts', 'src/**/*.ts'],
  ignores: [
    '**/*.spec.ts',
    '**/*.int-spec.ts',
    '**/*.e2e-spec.ts',
    '**/testing/**',
    '**/*-e2e/**',
    '**/e2e-support/**',
  ],
};

/** @type {import('eslint').Linter.Config} */
const productionCode = {
  ...productionFiles,
  rules: {
    'no-restricted-imports': [
      'error',
      {
        patterns: [
          {
            group: ['**/testing', '**/testing/**', '@millrace/*/testing'],
            message: 'Production code never imports testing/.',
          },
        ],
      },
    ],
    'no-restricted-properties': [
      'error',
      { object: 'process', property: 'env', message: 'Settings are parsed once, in config.ts.' },
      { object: 'AbortSignal', property: 'any', message: 'It leaves a trace in long-lived signals: use abortWith.' },
    ],
  },
};

/**
 * Functions that a reader sees at once. A module is a list of what it is made of, so it may be longer.
 * @type {import('eslint').Linter.Config}
 */
const shortFunctions = {
  ...productionFiles,
  ignores: [...productionFiles.ignores, '**/*.module.ts', 'src/malformed/**'],
  rules: { 'max-lines-per-function': ['error', { max: 40, skipBlankLines: true, skipComments: true }] },
};

const ONE_WAY_OUT = 'Calls to the outside go through OutboundHttp, AddressGuard or Mailer (docs/adr/0010).';

const CLIENTS = ['undici', 'nodemailer', 'axios', 'got', 'ky', 'needle', 'node-fetch', 'request', 'superagent', 'ws'];
const CLIENT_FUNCTIONS = {
  http: ['Agent', 'ClientRequest', 'WebSocket', 'default', 'get', 'globalAgent', 'request'],
  https: ['Agent', 'default', 'get', 'globalAgent', 'request'],
  http2: ['connect', 'default'],
  net: ['Socket', 'connect', 'createConnection', 'default'],
  tls: ['TLSSocket', 'connect', 'default'],
  dgram: ['Socket', 'createSocket', 'default'],
};
const CLIENT_GLOBALS = ['fetch', 'WebSocket', 'EventSource', 'XMLHttpRequest'];
const CLIENT_MODULES = `/^(?:(?:${CLIENTS.join('|')})(?:\\u002f.*)?|(?:node:)?(?:${Object.keys(CLIENT_FUNCTIONS).join('|')}))$/`;

/**
 * One way out of the service (docs/adr/0010): a second client would be one that nobody guards. Types are no clients.
 * @type {import('eslint').Linter.Config}
 */
const oneWayOut = {
  ...productionFiles,
  // Each project is linted from its own folder: what follows `src` are the projects of the end-to-end tests, libs/http, the operator's registry, the gateway's api, the worker's, and what piece hosts have.
  ignores: [
    ...productionFiles.ignores,
    'src/answer-contract.ts',
    'src/inside/**',
    'src/way-out/way-out.ts',
    'src/bundling/registry-client.ts',
    'src/service-*.ts',
    'src/malformed/**',
    'src/outbound/**',
    'src/proxy/web-socket-tunnels.ts',
    'src/api/api-client.ts',
  ],
  rules: {
    '@typescript-eslint/no-restricted-imports': [
      'error',
      {
        paths: Object.entries(CLIENT_FUNCTIONS).flatMap(([name, importNames]) =>
          [name, `node:${name}`].map((path) => ({
            name: path,
            importNames,
            allowTypeImports: true,
            message: ONE_WAY_OUT,
          })),
        ),
        patterns: [
          { group: CLIENTS.flatMap((name) => [name, `${name}/*`]), allowTypeImports: true, message: ONE_WAY_OUT },
        ],
      },
    ],
    'no-restricted-globals': ['error', ...CLIENT_GLOBALS.map((name) => ({ name, message: ONE_WAY_OUT }))],
    'no-restricted-syntax': [
      'error',
      {
        selector: `MemberExpression[object.name=/^(?:globalThis|global)$/][property.name=/^(?:${CLIENT_GLOBALS.join('|')})$/]`,
        message: ONE_WAY_OUT,
      },
      { selector: `ImportExpression[source.value=${CLIENT_MODULES}]`, message: ONE_WAY_OUT },
      { selector: `CallExpression[callee.name='require'][arguments.0.value=${CLIENT_MODULES}]`, message: ONE_WAY_OUT },
    ],
  },
};

export default tseslint.config(
  {
    ignores: [
      '**/dist',
      '**/out-tsc',
      '**/node_modules',
      '**/.nx',
      '**/.data',
      '**/tmp',
      '**/coverage',
      '**/api/schema.d.ts',
    ],
  },
  js.configs.recommended,
  {
    files: ['**/*.mjs', '**/*.cjs', '**/*.js'],
    languageOptions: {
      globals: {
        process: 'readonly',
        console: 'readonly',
        Buffer: 'readonly',
        URL: 'readonly',
        fetch: 'readonly',
        performance: 'readonly',
        setTimeout: 'readonly',
        clearTimeout: 'readonly',
        setInterval: 'readonly',
        clearInterval: 'readonly',
        setImmediate: 'readonly',
        AbortSignal: 'readonly',
        AbortController: 'readonly',
        module: 'writable',
        require: 'readonly',
        __dirname: 'readonly',
        __filename: 'readonly',
        structuredClone: 'readonly',
      },
    },
  },
  {
    files: ['**/*.ts'],
    // The rules that need types are oxlint's (.oxlintrc.json), which finds them with the native compiler.
    extends: [...tseslint.configs.recommended],
    plugins: { '@nx': nx },
    languageOptions: { parserOptions: { tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@nx/enforce-module-boundaries': [
        'error',
        { allow: [], enforceBuildableLibDependency: false, depConstraints: importTable },
      ],
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      'no-restricted-exports': ['error', { restrictDefaultExports: { direct: true } }],
    },
  },
  productionCode,
  shortFunctions,
  oneWayOut,
  {
    files: ['**/main.ts', '**/config.ts', '**/e2e-support/src/*.ts', 'src/service-*.ts'],
    rules: { 'no-restricted-properties': 'off' },
  },
);

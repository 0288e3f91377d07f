const nxPreset = require('@nx/jest/preset').default;

/** Packages that ship ES modules only: jest runs CommonJS, so swc compiles them. */
const esModules = [
  '@nestjs',
  '@octokit/webhooks-methods',
  '@jitl',
  'jose',
  'quickjs-emscripten',
  'quickjs-emscripten-core',
  '@seriousme',
  'p-limit',
  'yocto-queue',
  'uuid',
  'htmlparser2',
  'domelementtype',
  'domhandler',
  'domutils',
  'dom-serializer',
  'entities',
  'content-disposition',
  'valibot',
];

module.exports = {
  ...nxPreset,
  testEnvironment: 'node',
  testMatch: ['**/*.spec.ts', '**/*.int-spec.ts'],
  passWithNoTests: true,
  transform: {
    '^.+\\.[cm]?[tj]s$': [
      '@swc/jest',
      {
        jsc: {
          parser: { syntax: 'typescript', decorators: true },
          transform: { legacyDecorator: true, decoratorMetadata: true },
          target: 'es2022',
          keepClassNames: true,
        },
        module: { type: 'commonjs' },
        sourceMaps: 'inline',
        swcrc: false,
      },
    ],
  },
  transformIgnorePatterns: [`/node_modules/(?!(${esModules.join('|')})/)`],
  // It exports itself to ES modules only.
  moduleNameMapper: {
    '^@octokit/webhooks-methods$': `${__dirname}/node_modules/@octokit/webhooks-methods/dist-node/index.js`,
  },
  moduleFileExtensions: ['ts', 'js', 'mjs', 'cjs', 'json'],
};

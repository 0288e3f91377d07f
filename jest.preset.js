const { existsSync, readFileSync } = require('node:fs');
const { join } = require('node:path');
const nxPreset = require('@nx/jest/preset').default;
const { paths } = require('./tsconfig.base.json').compilerOptions;

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

/**
 * The libraries, and what their `index.ts` files export. jest loads the modules of each suite anew, and a suite that
 * needs one rule of a library would load all of it. So an export of a library is loaded when it is first used, and so
 * is an import inside a library whose text is the same; the others are loaded as in production.
 */
const lazy = [...Object.keys(paths), ...new Set(Object.values(paths).flat().flatMap(sourcesOfExports))];

function sourcesOfExports(index) {
  const file = join(__dirname, index);
  return existsSync(file)
    ? [...readFileSync(file, 'utf8').matchAll(/ from '([^']+)'/g)].map(([, source]) => source)
    : [];
}

module.exports = {
  ...nxPreset,
  testEnvironment: 'node',
  runtime: join(__dirname, 'tools/testing/jest-runtime.cjs'),
  // Nx's resolver asks TypeScript for what jest does not find, which are the libraries: they are mapped below.
  resolver: undefined,
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
        module: { type: 'commonjs', lazy },
        sourceMaps: 'inline',
        swcrc: false,
      },
    ],
  },
  transformIgnorePatterns: [`/node_modules/(?!(${esModules.join('|')})/)`],
  // It exports itself to ES modules only.
  moduleNameMapper: {
    ...Object.fromEntries(Object.entries(paths).map(([name, [index]]) => [`^${name}$`, join(__dirname, index)])),
    '^@octokit/webhooks-methods$': `${__dirname}/node_modules/@octokit/webhooks-methods/dist-node/index.js`,
  },
  moduleFileExtensions: ['ts', 'js', 'mjs', 'cjs', 'json'],
};

/**
 * How @nx/esbuild compiles the apps. esbuild itself knows neither decorator metadata nor the swagger plugin, so
 * swc compiles ordinary files, and TypeScript the few that describe the HTTP interface, since the plugin reads types.
 */
const { basename, dirname, join, resolve } = require('node:path');

const root = resolve(__dirname, '..');
const DESCRIBES_HTTP = /[\\/]apps[\\/]api[\\/].*\.(dto|controller)\.ts$/;

const swcOptions = {
  swcrc: false,
  sourceMaps: 'inline',
  module: { type: 'es6' },
  jsc: {
    target: 'es2023',
    keepClassNames: true,
    parser: { syntax: 'typescript', decorators: true },
    transform: { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: false },
  },
};

/** Compiles with the Nest swagger plugin: types and comments become the OpenAPI document. */
function createHttpCompiler(tsConfig) {
  const ts = require('typescript');
  const swagger = require('@nestjs/swagger/plugin');
  const stopOn = (diagnostic) => {
    throw new Error(ts.flattenDiagnosticMessageText(diagnostic.messageText, '\n'));
  };
  const { fileNames, options } = ts.getParsedCommandLineOfConfigFile(
    tsConfig,
    { module: ts.ModuleKind.ESNext, noEmit: false, inlineSourceMap: true, sourceMap: false, importHelpers: false },
    { ...ts.sys, onUnRecoverableConfigFileDiagnostic: stopOn },
  );
  const program = ts.createProgram(fileNames, options);
  const describe = swagger.before(
    { introspectComments: true, classValidatorShim: true, esmCompatible: false },
    program,
  );
  return (path) => {
    const source = program.getSourceFile(path);
    if (!source) return undefined;
    let output;
    program.emit(source, (_, text) => (output = text), undefined, false, { before: [describe] });
    // The plugin imports its decorators as CommonJS does, and TypeScript leaves that out of an ES module.
    return /\bopenapi\./.test(output) ? `import * as openapi from '@nestjs/swagger'; ${output}` : output;
  };
}

/**
 * A decorated class becomes `let Flow = class Flow {`, whose inner name esbuild changes to `Flow2`, and so would the
 * names in logs, error answers and the OpenAPI document. Without the inner name the class takes the variable's.
 */
function keepClassNames(code) {
  return code.replace(/\b(let|var|const) (\w+) = class \2\b/g, '$1 $2 = class');
}

const nest = {
  name: 'nest',
  setup(build) {
    const tsConfig = resolve(root, build.initialOptions.tsconfig);
    let compileHttp;
    build.onStart(() => {
      compileHttp = undefined; // in watch mode the types may have changed
    });
    build.onLoad({ filter: /\.ts$/ }, async ({ path }) => {
      let code;
      if (DESCRIBES_HTTP.test(path)) {
        compileHttp ??= createHttpCompiler(tsConfig);
        code = compileHttp(path);
      }
      code ??= (await require('@swc/core').transformFile(path, swcOptions)).code;
      return { contents: keepClassNames(code), loader: 'js', resolveDir: dirname(path) };
    });
  },
};

/** Entries from several folders would keep their folders in the output; every entry belongs beside main.cjs. */
const entriesSideBySide = {
  name: 'entries-side-by-side',
  setup({ initialOptions }) {
    if (!initialOptions.outdir) return;
    initialOptions.entryPoints = initialOptions.entryPoints.map((entry) => ({
      in: join(root, entry),
      out: basename(entry, '.ts'),
    }));
  },
};

module.exports = {
  sourcemap: true,
  sourcesContent: false,
  logLevel: 'warning',
  logOverride: { 'duplicate-object-key': 'silent' }, // what a decorator says twice, the author's word being the last
  plugins: [entriesSideBySide, nest],
};

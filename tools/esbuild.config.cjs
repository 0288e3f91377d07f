/**
 * How @nx/esbuild compiles the apps. esbuild itself supports neither decorator metadata nor the swagger plugin. So swc
 * compiles ordinary files, and TypeScript compiles the files that describe the HTTP interface, whose types the plugin
 * reads.
 */
const { basename, dirname, join, resolve } = require('node:path');

const root = resolve(__dirname, '..');
const DESCRIBES_HTTP = /[\\/]apps[\\/]api[\\/].*\.(dto|controller)\.ts$/;

/** @type {import('@swc/core').Options} */
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

/** Compiles with the swagger plugin of Nest, which turns types and comments into the OpenAPI document. */
function createHttpCompiler(tsConfig) {
  const ts = require('typescript');
  const swagger = require('@nestjs/swagger/plugin');
  const stopOn = (diagnostic) => {
    throw new Error(ts.flattenDiagnosticMessageText(diagnostic.messageText, '\n'));
  };
  const parsed = ts.getParsedCommandLineOfConfigFile(
    tsConfig,
    { module: ts.ModuleKind.ESNext, noEmit: false, inlineSourceMap: true, sourceMap: false, importHelpers: false },
    { ...ts.sys, onUnRecoverableConfigFileDiagnostic: stopOn },
  );
  if (!parsed) throw new Error(`${tsConfig} cannot be read.`);
  const program = ts.createProgram(parsed.fileNames, parsed.options);
  const describe = swagger.before(
    { introspectComments: true, classValidatorShim: true, esmCompatible: false },
    program,
  );
  return (path) => {
    const source = program.getSourceFile(path);
    if (!source) return undefined;
    const emitted = [];
    program.emit(source, (_, text) => emitted.push(text), undefined, false, { before: [describe] });
    const output = emitted.at(-1);
    // The plugin adds its import in the style of CommonJS, which TypeScript does not write into an ES module.
    return /\bopenapi\./.test(output) ? `import * as openapi from '@nestjs/swagger'; ${output}` : output;
  };
}

/**
 * A decorated class is compiled to `let Flow = class Flow {`. esbuild changes the inner name to `Flow2`, which would
 * then appear in logs, error answers and the OpenAPI document. Without an inner name the class has the name of the
 * variable. esbuild also changes the inner name of a class that names itself, as loggers do, so these get a string.
 */
function keepClassNames(code) {
  return code
    .replace(/\bnew Logger\((\w+)\.name\)/g, "new Logger('$1')")
    .replace(/\b(let|var|const) (\w+) = class \2\b/g, '$1 $2 = class');
}

const nest = {
  name: 'nest',
  setup(build) {
    const tsConfig = resolve(root, build.initialOptions.tsconfig);
    let compileHttp;
    build.onStart(() => {
      compileHttp = undefined; // the types may have changed since the last build of the watch mode
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

/** Puts every entry beside main.cjs. esbuild would keep the folders of entries that come from several folders. */
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
  logOverride: { 'duplicate-object-key': 'silent' }, // the plugin and the author set the same key; the author's counts
  plugins: [entriesSideBySide, nest],
};

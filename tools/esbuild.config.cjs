/**
 * How @nx/esbuild compiles the apps. esbuild itself supports neither decorator metadata nor the swagger plugin. So swc
 * compiles ordinary files, and TypeScript compiles the files that describe the HTTP interface, whose types the plugin
 * reads.
 */
const { existsSync, readFileSync } = require('node:fs');
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
 * variable. esbuild also changes the inner name of a class that names itself, as loggers do, so these get a string; those
 * of Nest too.
 */
function keepClassNames(code) {
  return code
    .replace(/\bnew Logger\((\w+)\.name\b/g, "new Logger('$1'")
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

/** Optional parts of Nest, and the files of a page, which are found by their place. */
const NEVER_BUNDLED = /^(swagger-ui-dist|@nestjs\/(microservices|websockets|platform-express))(\/|$)/;

/**
 * Puts packages into the app that would be slow to load or might not be found beside it: ES modules, which Node loads one
 * file after the other (half of the time of a start), whatever imports Nest, so that there is one Nest, and packages that
 * the package.json does not name, whose place depends on who else needs them. The others stay packages.
 */
const packages = {
  name: 'packages',
  setup({ initialOptions, onResolve, onLoad }) {
    initialOptions.external = []; // Nx names every package of the project
    initialOptions.define = { ...initialOptions.define, 'import.meta.url': 'addressOfThisFile' };
    initialOptions.banner = { js: "const addressOfThisFile = require('node:url').pathToFileURL(__filename).href;" };
    const { dependencies } = readJson(join(root, 'package.json'));
    onResolve({ filter: /^[^./]/ }, ({ path, kind, resolveDir }) => {
      if (kind === 'entry-point' || path.startsWith('node:') || path.startsWith('@millrace/')) return undefined;
      const found = NEVER_BUNDLED.test(path) ? null : findPackage(nameOfPackage(path), resolveDir);
      const isBundled = found !== null && (!dependencies[found.name] || isEsModule(found) || importsNest(found));
      return isBundled ? undefined : { path, external: true };
    });
    onLoad({ filter: /[\\/]@nestjs[\\/].*\.js$/ }, ({ path }) => ({
      contents: keepClassNames(readFileSync(path, 'utf8')),
    }));
  },
};

const readJson = (file) => JSON.parse(readFileSync(file, 'utf8'));
const nameOfPackage = (path) => path.split('/', path.startsWith('@') ? 2 : 1).join('/');
const isEsModule = ({ type }) => type === 'module';
const importsNest = ({ peerDependencies = {} }) =>
  Object.keys(peerDependencies).some((name) => /^@nestjs\//.test(name));

/** Returns the package.json of the package that an import in this folder finds; null for none, as for Node's own. */
function findPackage(name, folder) {
  const file = join(folder, 'node_modules', name, 'package.json');
  if (existsSync(file)) return readJson(file);
  return dirname(folder) === folder ? null : findPackage(name, dirname(folder));
}

/** @type {import('esbuild').BuildOptions & { plugins: import('esbuild').Plugin[] }} */
module.exports = {
  sourcemap: true,
  sourcesContent: false,
  logLevel: 'warning',
  logOverride: { 'duplicate-object-key': 'silent' }, // the plugin and the author set the same key; the author's counts
  plugins: [entriesSideBySide, packages, nest],
};

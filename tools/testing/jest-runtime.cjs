const { Script } = require('node:vm');
const { default: JestRuntime } = require('jest-runtime');

/**
 * Runs the modules of suites as jest does, but compiles each module once in a process instead of once for each suite,
 * which takes a third off the CPU time of small suites. V8 keeps what it compiled of a source, unless a function answers
 * the `import()` in it, as jest asks for. No suite needs that function, because swc turns `import()` into `require`.
 */
module.exports = class SharedCompilationRuntime extends JestRuntime {
  /** @param {ConstructorParameters<typeof JestRuntime>} args */
  constructor(...args) {
    super(...args);
    const executor = this['executor'];
    const compile = executor.compile.bind(executor);
    executor.compile = (source, filename) => compileShared(source, filename, executor) ?? compile(source, filename);
  }
};

/** Returns nothing where jest must say why: the suite has ended, or the source is not valid. */
function compileShared(source, filename, { environment, injectedModuleParameters }) {
  const context = environment.getVmContext();
  const head = `(function (${injectedModuleParameters.join(', ')}) {`;
  try {
    return (
      context && new Script(`${head}${source}\n})`, { filename, columnOffset: -head.length }).runInContext(context)
    );
  } catch {
    return undefined;
  }
}

import { CodeRunner, type CodeCall, type CodeOutcome } from '../ports/code-runner';

type GuestFunction = (input: unknown, call: CodeCall) => unknown;

/**
 * Evaluates guest code in this process, for tests. The code is `(inputs, call) => …`, with or without `export const
 * code`.
 */
export class EvaluatingCodeRunner extends CodeRunner {
  readonly calls: CodeCall[] = [];
  private readonly compiled = new Map<string, GuestFunction>();
  /** Is called before each code step. A test can abort or delay the step here. */
  beforeCode: (call: CodeCall) => void | Promise<void> = () => undefined;

  async run(call: CodeCall): Promise<CodeOutcome> {
    this.calls.push(call);
    if (call.program.kind === 'code') await this.beforeCode(call);
    try {
      const value = await this.functionOf(call)(JSON.parse(call.input), call);
      return { kind: 'value', output: JSON.stringify(value ?? null), logs: [] };
    } catch (error) {
      return { kind: 'failed', message: (error as Error).message, logs: ['before it failed'] };
    }
  }

  /** The paths of the code steps that ran, in the order in which they ran. */
  get executedPaths(): string[] {
    const code = this.calls.filter(({ program }) => program.kind === 'code');
    return code.map(({ run }) => run.stepKey.slice(run.stepKey.indexOf(':') + 1));
  }

  /** The last input of each code step, by its path. */
  get inputs(): Readonly<Record<string, unknown>> {
    const code = this.calls.filter(({ program }) => program.kind === 'code');
    return Object.fromEntries(
      code.map(({ run, input }) => [run.stepKey.slice(run.stepKey.indexOf(':') + 1), JSON.parse(input) as unknown]),
    );
  }

  private functionOf({ program }: CodeCall): GuestFunction {
    let compiled = this.compiled.get(program.hash);
    if (!compiled) {
      const source = program.kind === 'code' ? program.code.replace('export const code =', '') : program.script;
      const expression = source.trim().replace(/;$/, '');
      compiled = (new Function(`return (${expression});`) as () => GuestFunction)();
      this.compiled.set(program.hash, compiled);
    }
    return compiled;
  }
}

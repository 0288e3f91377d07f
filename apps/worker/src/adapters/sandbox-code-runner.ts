import { Injectable } from '@nestjs/common';
import { CodeRunner, type CodeCall, type CodeOutcome } from '@millrace/engine';
import { Sandbox, type SandboxOutcome } from '@millrace/sandbox';
import { CodeBundles } from './code-bundles';

/** Runs code steps and expressions in the sandbox. Each project is a tenant of its own there. */
@Injectable()
export class SandboxCodeRunner extends CodeRunner {
  constructor(
    private readonly sandbox: Sandbox,
    private readonly bundles: CodeBundles,
  ) {
    super();
  }

  override async run({ program, input, run, slot }: CodeCall, signal: AbortSignal): Promise<CodeOutcome> {
    const tenant = run.projectId;
    if (program.kind === 'expressions')
      return outcomeOf(
        withinMemory(
          await this.sandbox.run({ tenant, script: program.script, scriptHash: program.hash, input, run }, signal),
        ),
      );
    const bundle = await this.bundles.get(program);
    if ('problem' in bundle) return { kind: 'failed', message: bundle.problem, logs: [] };
    const { script, scriptHash, sourceMap } = bundle;
    const onSleep = slot && ((asleep: boolean) => (asleep ? slot.leave() : void slot.comeBack()));
    const outcome = await this.sandbox.run({ tenant, script, scriptHash, sourceMap, input, run, onSleep }, signal);
    await slot?.comeBack();
    return outcomeOf(outcome);
  }
}

/**
 * An expression that throws gives an empty value. The engine must not treat the memory limit in the same way, so a
 * script whose memory was refused fails, even when the script caught the error.
 */
function withinMemory(outcome: SandboxOutcome): SandboxOutcome {
  if (outcome.kind === 'failure' || !outcome.memoryWasRefused) return outcome;
  const message = 'They needed more than the memory limit of a code step.';
  return { kind: 'failure', failure: { kind: 'memory', message }, logs: outcome.logs, cpuMs: outcome.cpuMs };
}

function outcomeOf(outcome: SandboxOutcome): CodeOutcome {
  const { logs } = outcome;
  if (outcome.kind === 'value') return { kind: 'value', output: outcome.output, logs };
  const { kind, name, message } = outcome.failure;
  if (kind === 'aborted') throw new Error(message); // this worker aborted the code
  return { kind: 'failed', message: name && !message.startsWith(name) ? `${name}: ${message}` : message, logs };
}

import { aFlowVersion } from '@millrace/domain/testing';
import type { ControlSettings, FlowTrigger } from '@millrace/domain';
import { compileFlowVersion } from './compile/compile-version';
import { resolveControlKeys } from './control-keys';
import type { CodeRunner } from './ports/code-runner';
import { EvaluatingCodeRunner } from './testing/evaluating-code-runner';

const OUTPUT = { body: { customer: 'ada', parts: ['x', 'y'], constructor: 1 } };

function compiled(control: ControlSettings, name = 'trigger') {
  const version = aFlowVersion([]);
  const { trigger } = version;
  const settings = { ...trigger.settings, ...control };
  return compileFlowVersion({ ...version, trigger: { ...trigger, name, settings } as FlowTrigger });
}

async function keysOf(control: ControlSettings, name?: string, runner: CodeRunner = new EvaluatingCodeRunner()) {
  const flow = compiled(control, name);
  if (!flow.control) throw new Error('The flow has no control.');
  const run = { id: 'r1', flowId: 'f1', projectId: 'p1', triggerOutput: JSON.stringify(OUTPUT) };
  return resolveControlKeys(flow, flow.control, run, runner);
}

describe('the keys of control', () => {
  it('are absent from a flow without control', () => {
    expect(compiled({}).control).toBeNull();
  });

  it('read the payload, alone or in a text, and have a text of their own where it has nothing', async () => {
    const keys = await keysOf({
      concurrency: { limit: 1, key: '{{ trigger.body.customer }}' },
      rateLimit: { limit: 1, windowSeconds: 1, key: 'of {{ trigger.body.parts }}' },
      dedupe: { key: '{{ trigger.body.missing.id }}', windowSeconds: 1 },
      batch: { size: 2, seconds: 1 },
    });

    expect(keys).toEqual({ kind: 'resolved', keys: { concurrency: 'ada', rateLimit: 'of ["x","y"]', dedupe: '' } });
  });

  it('call the trigger by its own name too, and evaluate other expressions in the sandbox', async () => {
    const runner = new EvaluatingCodeRunner();
    const control = { dedupe: { key: '{{ hook.body.parts.length + trigger.body.parts.length }}', windowSeconds: 1 } };

    expect(await keysOf(control, 'hook', runner)).toEqual({ kind: 'resolved', keys: { dedupe: '4' } });
    expect(runner.calls).toMatchObject([{ program: { kind: 'expressions' }, run: { stepKey: 'r1:hook' } }]);
  });

  it('fail with the limit that they go over', async () => {
    const runner = { run: () => Promise.resolve({ kind: 'failed' as const, message: 'CPU time limit', logs: [] }) };

    const failed = await keysOf(
      { dedupe: { key: '{{ trigger.body.parts.map(String) }}', windowSeconds: 1 } },
      'hook',
      runner,
    );

    expect(failed).toEqual({ kind: 'failed', message: "The keys of the flow's control failed: CPU time limit" });
  });
});

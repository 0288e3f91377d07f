import { TRIGGER, type ControlKeys, type ControlName } from '@millrace/domain';
import type { CompiledControl, CompiledFlow } from './compile/compile-version';
import { guestResults, type GuestResults } from './expressions/guest-function';
import { resolveTemplate, type Template } from './expressions/template';
import { JsonValue } from './outputs/json-value';
import { triggerEntry } from './outputs/webhook-output';
import type { CodeRunner } from './ports/code-runner';
import { RunScope } from './run/run-scope';
import type { RunToWalk } from './run/run-to-walk';

export type KeysResolution = { kind: 'resolved'; keys: ControlKeys } | { kind: 'failed'; message: string };

type KeyedRun = Pick<RunToWalk, 'id' | 'flowId' | 'projectId' | 'triggerOutput'>;

/**
 * Resolves the keys of a flow's control against the payload of a run, as the expressions of a step are resolved. A text
 * is a key as it is, any other value as JSON.
 */
export async function resolveControlKeys(
  { trigger }: CompiledFlow,
  { keys }: CompiledControl,
  run: KeyedRun,
  codeRunner: CodeRunner,
): Promise<KeysResolution> {
  const { id, flowId, projectId } = run;
  const output = triggerEntry(run.triggerOutput);
  const scope = RunScope.ofRun({
    run: JsonValue.ofValue({ id, flowId, projectId }),
    [TRIGGER]: output,
    [trigger.name]: output,
  });
  const running = { id, flowId, projectId, stepKey: `${id}:${trigger.name}` };
  const guest = await askGuest(keys, scope, running, codeRunner);
  if ('message' in guest) return { kind: 'failed', message: `The keys of the flow's control failed: ${guest.message}` };
  const resolved = JSON.parse(resolveTemplate(keys, scope, guest.results).text) as Record<ControlName, unknown>;
  const texts = Object.entries(resolved).map(([name, key]) => [
    name,
    typeof key === 'string' ? key : JSON.stringify(key),
  ]);
  return { kind: 'resolved', keys: Object.fromEntries(texts) as ControlKeys };
}

async function askGuest(
  { guest }: Template,
  scope: RunScope,
  run: Parameters<CodeRunner['run']>[0]['run'],
  codeRunner: CodeRunner,
): Promise<{ results: GuestResults } | { message: string }> {
  if (!guest) return { results: [] };
  const call = { program: guest.program, input: scope.textOf(guest.names, guest.namesRawBody), run };
  const outcome = await codeRunner.run(call, new AbortController().signal);
  if (outcome.kind === 'failed') return { message: outcome.message };
  const results = guestResults(guest, outcome.output);
  if (results === null) return { message: 'the expressions gave no valid results.' };
  return 'limit' in results ? { message: `they went over the ${results.limit}.` } : { results };
}

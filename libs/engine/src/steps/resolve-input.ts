import { connectionsNamedIn, type JsonText } from '@millrace/domain';
import { guestResults, type GuestFunction, type GuestResults } from '../expressions/guest-function';
import type { MemberPath, PathKeys } from '@millrace/domain';
import { connectionMissedBy, connectionsNamedBy, resolveTemplate, type ResolvedInput } from '../expressions/template';
import { isFetching, type FetchingEntry } from '../outputs/offloaded-output';
import { OutputReader } from '../outputs/output-reader';
import type { RunScope } from '../run/run-scope';
import type { StepWalk } from '../run/step-walk';

export type InputResolution =
  | ({ kind: 'resolved' } & ResolvedInput)
  | { kind: 'failed'; message: string }
  | { kind: 'aborted' };

type Unresolved = Exclude<InputResolution, { kind: 'resolved' }>;

const NO_GUEST: GuestResults = [];

/** Resolves the expressions of a step's settings. One call of the sandbox evaluates all that need JavaScript. */
export function resolveInput(walk: StepWalk): Promise<InputResolution> {
  return walk.run.readsLargeOutputs ? resolveWithLargeOutputs(walk) : resolve(walk);
}

async function resolve(walk: StepWalk): Promise<InputResolution> {
  const { step, scope, run } = walk;
  if (step.problem !== null) return { kind: 'failed', message: step.problem };
  if (step.input.readsConnections && !(await run.readConnections(scope))) return { kind: 'aborted' };
  const broken = brokenConnectionProblem(walk);
  if (broken !== null) return { kind: 'failed', message: broken };
  let results = NO_GUEST;
  if (step.input.guest) {
    const answer = await askGuest(step.input.guest, walk);
    if (answer.kind !== 'results') return answer;
    ({ results } = answer);
  }
  const problem = missingConnectionProblem(walk, results);
  if (problem !== null) return { kind: 'failed', message: problem };
  const resolved = resolveTemplate(step.input, scope, results);
  const lost = lostValueProblem(walk, resolved.text);
  return lost === null ? { kind: 'resolved', ...resolved } : { kind: 'failed', message: lost };
}

/**
 * A sentence about a value of a connection that an earlier walk recorded, that the input of a piece has, and that is no
 * longer there. Null when there is none.
 */
function lostValueProblem({ step, run }: StepWalk, input: JsonText): string | null {
  const { hidden } = run.texts;
  const connection = step.type === 'PIECE' ? hidden.missedIn(input) : null;
  if (connection === null) return null;
  const broken = run.brokenConnections.get(connection);
  if (broken !== undefined) return cannotBeUsed(connection, broken);
  const [key] =
    Object.entries(JSON.parse(input) as object).find(([, value]) => hidden.missedIn(JSON.stringify(value)) !== null) ??
    [];
  const place = key === undefined ? 'The input of the step' : `The input ${key}`;
  return `${place} has a value of the connection ${JSON.stringify(connection)} that is no longer there.`;
}

/** A sentence about a connection that the step names and that cannot be used; null when there is none. */
function brokenConnectionProblem({ step, run }: StepWalk): string | null {
  if (!step.input.readsConnections || run.brokenConnections.size === 0) return null;
  const named = connectionsNamedBy(step.input);
  const broken = [...run.brokenConnections].find(([externalId]) => named.has(externalId));
  return broken ? cannotBeUsed(...broken) : null;
}

const cannotBeUsed = (externalId: string, reason: string): string =>
  `The connection ${JSON.stringify(externalId)} cannot be used: ${reason}`;

/**
 * A sentence about a connection that does not exist and without which an input of a piece is nothing. Null when there is
 * none. In the other steps such an expression gives an empty text, as any expression does that finds nothing.
 */
function missingConnectionProblem({ step, scope, run }: StepWalk, results: GuestResults): string | null {
  if (step.type !== 'PIECE' || run.missingConnections.size === 0) return null;
  const missed = connectionMissedBy(step.input, run.missingConnections, scope, results);
  if (missed === null) return null;
  const key = Object.keys(step.written).find((name) => connectionsNamedIn(step.written[name]).has(missed));
  const input = key === undefined ? 'The input of the step' : `The input ${key}`;
  return `${input} names the connection ${JSON.stringify(missed)}, and there is no such connection.`;
}

/** Fetches the parts of offloaded outputs that the step names, resolves its settings, and drops the parts again. */
async function resolveWithLargeOutputs(walk: StepWalk): Promise<InputResolution> {
  const { step, scope, run } = walk;
  const named = fetchingEntriesNamed(step.input.references, scope);
  const reader = new OutputReader(run.ports, run.signal, run.texts.hidden);
  try {
    for (const [entry, paths] of named)
      if (!(await entry.fetch(paths, reader))) return reader.problem ?? { kind: 'aborted' };
    return await resolve(walk);
  } finally {
    for (const entry of named.keys()) entry.drop();
  }
}

function fetchingEntriesNamed(
  references: readonly MemberPath[],
  scope: RunScope,
): ReadonlyMap<FetchingEntry, PathKeys[]> {
  const named = new Map<FetchingEntry, PathKeys[]>();
  for (const { head, keys } of references) {
    const entry = scope.find(head);
    if (!entry || !isFetching(entry)) continue;
    const paths = named.get(entry);
    if (paths) paths.push(keys);
    else named.set(entry, [keys]);
  }
  return named;
}

async function askGuest(
  guest: GuestFunction,
  { scope, run, running }: StepWalk,
): Promise<{ kind: 'results'; results: GuestResults } | Unresolved> {
  const call = {
    program: guest.program,
    input: scope.textOf(guest.names, guest.namesRawBody),
    run: running,
  };
  const outcome = await run.unlessAborted(() => run.ports.codeRunner.run(call, run.signal));
  if (outcome === null || (outcome.kind === 'failed' && run.signal.aborted)) return { kind: 'aborted' };
  if (outcome.kind === 'failed')
    return { kind: 'failed', message: `The expressions of the step failed: ${outcome.message}` };
  const results = guestResults(guest, outcome.output);
  if (results === null) return { kind: 'failed', message: 'The expressions of the step gave no valid results.' };
  if ('limit' in results)
    return { kind: 'failed', message: `The expressions of the step failed: they went over the ${results.limit}.` };
  return { kind: 'results', results };
}

import { stepsOf, type FlowStep, type FlowVersion } from './flow-version';
import { STRING_LITERAL, stringsIn, textParts } from './step-references';
import { skippedAmong, templatesOf, type VersionProblem } from './version-validity';

// What a version refers to outside its flow, so that flows can be found by it.

/** `connections` that is no member of something, with the literal or the name it is asked for. */
const CONNECTION =
  /(?<![\w$])(?<!(?<!\.\.)\.)connections\s*(?:(?:\?\.\s*)?\[\s*(LITERAL)\s*\]|\??\.\s*([\p{ID_Start}$_][\p{ID_Continue}$]*))/u
    .source;
/** A literal that stands for itself is passed over whole, whatever it says. */
const CONNECTION_OR_LITERAL = new RegExp(
  `${CONNECTION.replace('LITERAL', STRING_LITERAL.source)}|${STRING_LITERAL.source}`,
  'gu',
);

/** The external ids of the connections that its expressions name, sorted, each once. A computed name is not found. */
export function connectionsUsedBy(version: FlowVersion): string[] {
  return [...new Set([...stepsOf(version.trigger)].flatMap((step) => [...connectionsOf(step)]))].sort();
}

/** A warning for each connection that a step names and that is not among the known ones. */
export function unknownConnections({ trigger }: FlowVersion, known: ReadonlySet<string>): VersionProblem[] {
  const steps = [...stepsOf(trigger)];
  const skipped = skippedAmong(steps);
  return steps
    .filter(({ name }) => !skipped.has(name))
    .flatMap((step) => [...connectionsOf(step)].map((externalId) => ({ step, externalId })))
    .filter(({ externalId }) => !known.has(externalId))
    .map(({ step, externalId }) => ({
      stepName: step.name,
      severity: 'warning',
      message: `There is no connection ${JSON.stringify(externalId)}.`,
    }));
}

/** The external id that a text names which is one expression for a whole connection; null for any other text. */
export function connectionNamedBy(text: string): string | null {
  const [part, ...others] = textParts(text.trim()).filter((each) => each.text !== '');
  if (!part?.isExpression || others.length > 0) return null;
  const found = new RegExp(`^\\s*${CONNECTION.replace('LITERAL', STRING_LITERAL.source)}\\s*$`, 'u').test(part.text);
  return found ? ([...connectionsIn(part.text)][0] ?? null) : null;
}

function connectionsOf(step: FlowStep): Set<string> {
  const externalIds = new Set<string>();
  for (const text of stringsIn(templatesOf(step)))
    for (const part of textParts(text))
      if (part.isExpression) for (const externalId of connectionsIn(part.text)) externalIds.add(externalId);
  return externalIds;
}

function* connectionsIn(expression: string): Generator<string> {
  if (!expression.includes('connections')) return;
  for (const [, literal, name] of expression.matchAll(CONNECTION_OR_LITERAL)) {
    if (name !== undefined) yield name;
    else if (literal !== undefined && !isComputed(literal)) yield literal.slice(1, -1).replace(/\\([^])/gu, '$1');
  }
}

const isComputed = (literal: string): boolean => literal.startsWith('`') && literal.includes('${');

/** The external ids of the agents that its piece steps are given, sorted, each once. A computed id is not found. */
export function agentsUsedBy(version: FlowVersion): string[] {
  const ids = new Set<unknown>();
  for (const step of stepsOf(version.trigger))
    if (step.type === 'PIECE') ids.add(step.settings.input['agentId']).add(step.settings.input['agentExternalId']);
  return [...ids].filter(isLiteralId).sort();
}

const isLiteralId = (id: unknown): id is string => typeof id === 'string' && id !== '' && !id.includes('{{');

import { stepsOf, type FlowStep, type FlowVersion } from './flow-version';
import { STRING_LITERAL, stringsIn, textParts } from './step-references';
import { skippedAmong, templatesOf, type VersionProblem } from './version-validity';

// Finds what a version refers to outside its flow, so that a search can find flows by it.

/** Matches `connections`, unless it is a member of an object, with the literal or the name of the connection. */
const CONNECTION =
  /(?<![\w$])(?<!(?<!\.\.)\.)connections\s*(?:(?:\?\.\s*)?\[\s*(LITERAL)\s*\]|\??\.\s*([\p{ID_Start}$_][\p{ID_Continue}$]*))/u
    .source;
/** Matches every other literal as a whole too, so that the text inside a literal is not searched. */
const CONNECTION_OR_LITERAL = new RegExp(
  `${CONNECTION.replace('LITERAL', STRING_LITERAL.source)}|${STRING_LITERAL.source}`,
  'gu',
);

/**
 * The external ids of the connections that the version's expressions name, sorted and each once, without computed
 * names.
 */
export function connectionsUsedBy(version: FlowVersion): string[] {
  return [...new Set([...stepsOf(version.trigger)].flatMap((step) => [...connectionsOf(step)]))].sort();
}

/** A warning for each connection that a step names and that is not in `known`. */
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

const connectionsOf = (step: FlowStep): Set<string> => connectionsNamedIn(templatesOf(step));

/** The external ids of the connections that the expressions in a value name, without computed names. */
export function connectionsNamedIn(value: unknown): Set<string> {
  const externalIds = new Set<string>();
  for (const text of stringsIn(value))
    for (const part of textParts(text))
      if (part.isExpression) for (const externalId of connectionsOfExpression(part.text)) externalIds.add(externalId);
  return externalIds;
}

/** The external ids of the connections that an expression names, given without its braces. */
export function* connectionsOfExpression(expression: string): Generator<string> {
  if (!expression.includes('connections')) return;
  for (const [, literal, name] of expression.matchAll(CONNECTION_OR_LITERAL)) {
    if (name !== undefined) yield name;
    else if (literal !== undefined && !isComputed(literal)) yield literal.slice(1, -1).replace(/\\([^])/gu, '$1');
  }
}

const isComputed = (literal: string): boolean => literal.startsWith('`') && literal.includes('${');

/** The ids of the agents in the inputs of the version's piece steps, sorted and each once, without computed ids. */
export function agentsUsedBy(version: FlowVersion): string[] {
  const ids = new Set<unknown>();
  for (const step of stepsOf(version.trigger))
    if (step.type === 'PIECE') ids.add(step.settings.input['agentId']).add(step.settings.input['agentExternalId']);
  return [...ids].filter(isLiteralId).sort();
}

const isLiteralId = (id: unknown): id is string => typeof id === 'string' && id !== '' && !id.includes('{{');

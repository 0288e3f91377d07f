import {
  connectionsNamedIn,
  openSecrets,
  REDACTED,
  referredSecrets,
  resolveConnections,
  type FlowTrigger,
  type HiddenValues,
  type ReferringTexts,
} from '@millrace/domain';
import { secretPaths } from '../framework/members';
import { ActionFailure, type TriggerDefinition } from '../framework/piece';

/** The services that know the values which the input of a trigger only names. */
export interface NamedValues {
  /** Reads connections of a project as expressions do, by external id. Unknown ones are absent. */
  connections(projectId: string, externalIds: readonly string[]): Promise<ReadonlyMap<string, unknown>>;
  /** Reads secrets of a flow's trigger, by id. Unknown ones are absent. */
  secrets(flowId: string, ids: readonly string[]): Promise<ReadonlyMap<string, string>>;
}

/** What was read, as far as it was. */
export interface KnownValues {
  /** Everything that messages must not have: the values of connections, and the secrets of the trigger. */
  hidden: HiddenValues;
  /** The connections, to whose values stored texts refer. */
  texts: ReferringTexts;
}

type Input = Readonly<Record<string, unknown>>;

type PieceTrigger = Extract<FlowTrigger, { type: 'PIECE_TRIGGER' }>;

/**
 * The input of a trigger with its connections and its secrets read, which are hidden from then on. A secret that is not
 * known, because it was written in another flow, is the bare mark.
 */
export async function readGivenInput(
  values: NamedValues,
  { props }: Pick<TriggerDefinition, 'props'>,
  { flowId, trigger }: { flowId: string; trigger: PieceTrigger },
  { hidden, texts }: KnownValues,
): Promise<Input> {
  const { input: written } = trigger.settings;
  const named = [...connectionsNamedIn(written)];
  const [, secrets] = await Promise.all([texts.know(named), values.secrets(flowId, [...referredSecrets(written)])]);
  const connections = texts.valuesOf(named);
  hidden.add(connections);
  hidden.add(secrets);
  const { input } = openSecrets(trigger, secretPaths(props), secrets).settings;
  return resolveConnections(input, connections);
}

/** Reads connections by their external ids, which are hidden from then on. */
export const connectionReader =
  ({ hidden, texts }: KnownValues) =>
  async (externalId: string): Promise<unknown> => {
    const value = await texts.readConnection(externalId);
    if (value !== undefined) hidden.add(new Map([[externalId, value]]));
    return value;
  };

/** Throws ActionFailure when a secret of the input is not known. */
export function assertSecretsKnown({ props }: Pick<TriggerDefinition, 'props'>, given: Input): void {
  const isUnknown = secretPaths(props).some(([name, member]) => {
    const value = given[name];
    return (member === undefined ? value : memberOf(value, member)) === REDACTED;
  });
  if (isUnknown) throw new ActionFailure('A secret of the trigger is not known in this flow: write it again.');
}

const memberOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;

import {
  PieceCatalogue,
  readAs,
  TRIGGER_HOOKS,
  triggerExpressionProblems,
  type AppRequest,
  type CatalogueAction,
  type CatalogueTrigger,
  type ConnectionValue,
  type PieceDescription,
  type PieceRef,
  type PieceSignIn,
  type ReadEvent,
  type TriggerPlan,
} from '@millrace/domain';
import { approval } from './approval/approval.piece';
import { authProblems, coerceAuth, unknownAuthMembers } from './framework/auth';
import { inputProblems, memberProblems, unknownKeys, unknownMembers, type InputValues } from './framework/coerce-input';
import { dataMapper } from './data-mapper/data-mapper.piece';
import { delay } from './delay/delay.piece';
import { describePiece } from './describe-piece';
import { flowControl } from './flow-control/flow-control.piece';
import { events } from './events/events.piece';
import { http } from './http/http.piece';
import { humanInput } from './human-input/human-input.piece';
import type { ActionDefinition, PieceDefinition, TriggerDefinition } from './framework/piece';
import type { ActionSource } from './host/piece-host';
import type { TriggerSource } from './host/poll-host';
import { optionsOf, type OptionsRequest, type PieceOptions } from './piece-options';
import { manual } from './manual/manual.piece';
import type { OptionsContext, Props } from './framework/props';
import { polling } from './polling/polling.piece';
import { schedule } from './schedule/schedule.piece';
import { declaredMembers, itemMembers, secretPaths } from './framework/members';
import { smtp } from './smtp/smtp.piece';
import { store } from './store/store.piece';
import { subflows } from './subflows/subflows.piece';
import { webhook } from './webhook/webhook.piece';

/** A connection, and the piece for which it is. */
interface ConnectionOfPiece {
  readonly pieceName: string;
  readonly pieceVersion?: string;
  readonly value: ConnectionValue;
}

export const BUILT_IN_PIECES: readonly PieceDefinition[] = [
  webhook,
  polling,
  manual,
  events,
  schedule,
  http,
  delay,
  approval,
  humanInput,
  subflows,
  store,
  dataMapper,
  flowControl,
  smtp,
];

/**
 * The catalogue of the pieces that come with the service. Each piece exists in one version, which runs whatever version
 * a flow names.
 */
export class BuiltInPieces extends PieceCatalogue implements ActionSource, TriggerSource {
  private readonly pieces: ReadonlyMap<string, PieceDefinition>;

  constructor(pieces: readonly PieceDefinition[] = BUILT_IN_PIECES) {
    super();
    this.pieces = new Map(pieces.map((piece) => [piece.name, piece]));
  }

  override findTrigger(pieceName: string, pieceVersion: string, triggerName: string): CatalogueTrigger | null {
    const piece = this.pieceNamed(pieceName, pieceVersion);
    const trigger = entryNamed(piece?.triggers, triggerName);
    if (!piece || !trigger) return null;
    const { resultType } = trigger;
    const plan = (input: InputValues): TriggerPlan => ({ kind: resultType, ...trigger.plan?.(input) });
    const hooks = TRIGGER_HOOKS.filter((hook) => trigger[hook] !== undefined);
    const renewal = (trigger.onRenew && trigger.renewal) ?? null;
    const handshake = (trigger.onHandshake && trigger.handshake) ?? null;
    const secretInputs = secretPaths(trigger.props);
    const kind = { triggerName, resultType, secretInputs, plan };
    return { ...entryOf(piece, trigger), ...kind, hooks, renewal, handshake };
  }

  override findAction(pieceName: string, pieceVersion: string, actionName: string): CatalogueAction | null {
    const found = this.definitionOf(pieceName, actionName, pieceVersion);
    return found && { ...entryOf(found.piece, found.action), actionName };
  }

  /** Finds a piece and its action. Null when the piece is unknown or has no action of this name. */
  definitionOf(
    pieceName: string,
    actionName: string,
    pieceVersion?: string,
  ): { piece: PieceDefinition; action: ActionDefinition } | null {
    const piece = this.pieceNamed(pieceName, pieceVersion);
    const action = entryNamed(piece?.actions, actionName);
    return piece && action ? { piece, action } : null;
  }

  /** Finds a piece and its trigger. Null when the piece is unknown or has no trigger of this name. */
  triggerOf(
    pieceName: string,
    triggerName: string,
    pieceVersion?: string,
  ): { piece: PieceDefinition; trigger: TriggerDefinition } | null {
    const piece = this.pieceNamed(pieceName, pieceVersion);
    const trigger = entryNamed(piece?.triggers, triggerName);
    return piece && trigger ? { piece, trigger } : null;
  }

  /** Whether the action has no effect outside its run. An unknown action counts as having one. */
  isPureAction(pieceName: string, actionName: string): boolean {
    return this.definitionOf(pieceName, actionName)?.action.isPure ?? false;
  }

  override hasPiece(pieceName: string): boolean {
    return this.pieceNamed(pieceName) !== null;
  }

  describe(): PieceDescription[] {
    return [...this.pieces.values()].map(describePiece);
  }

  /** Describes the piece of this name. Null when it is unknown. */
  find(name: string, version?: string): PieceDescription | null {
    const piece = this.pieceNamed(name, version);
    return piece && describePiece(piece);
  }

  /** Has a piece verify and read a request of its app. Null when it is not from the provider, or there is no such piece. */
  async readEvent(
    { name, version }: PieceRef,
    request: AppRequest,
    context: { projectId: string; signal: AbortSignal },
  ): Promise<ReadEvent | null> {
    return (await this.pieceNamed(name, version)?.readEvent?.(request, context)) ?? null;
  }

  /** How people sign in to the provider of the piece. Null when they do not, and for an unknown piece. */
  signInOf(name: string, version?: string): PieceSignIn | null {
    return this.pieceNamed(name, version)?.signIn ?? null;
  }

  /**
   * The options of a prop. Null when the prop is unknown or has no options. Rejects with the error that the piece
   * throws, for example OutboundFailure.
   */
  async options(
    { pieceName, pieceVersion, name, propName, input, searchValue }: OptionsRequest,
    context: Pick<OptionsContext, 'http' | 'signal' | 'projectId' | 'connection'>,
  ): Promise<PieceOptions | null> {
    const piece = this.pieceNamed(pieceName, pieceVersion);
    const owner = entryNamed(piece?.actions, name) ?? entryNamed(piece?.triggers, name);
    const prop = ownEntry(owner?.props, propName);
    return prop ? optionsOf(prop, input, { ...context, auth: input['auth'], searchValue }) : null;
  }

  /**
   * Why a connection with this value is of no use for the piece: one sentence, or null when nothing speaks against it.
   * Rejects with the error that the piece throws.
   */
  async connectionProblem(
    { pieceName, pieceVersion, value }: ConnectionOfPiece,
    context: { projectId: string; signal: AbortSignal },
  ): Promise<string | null> {
    const piece = this.pieceNamed(pieceName, pieceVersion);
    if (!piece) return `There is no piece ${pieceName}.`;
    const coerced = coerceAuth(piece.auth, readAs(value));
    if ('problems' in coerced) return coerced.problems.join(' ');
    return checks(piece, coerced.auth) ? ((await piece.validate?.(coerced.auth, context)) ?? null) : null;
  }

  /** Whether `connectionProblem` asks the piece itself: it does so of a connection of the right form that it checks. */
  checksConnection({ pieceName, pieceVersion, value }: ConnectionOfPiece): boolean {
    const piece = this.pieceNamed(pieceName, pieceVersion);
    if (!piece) return false;
    const coerced = coerceAuth(piece.auth, readAs(value));
    return 'auth' in coerced && checks(piece, coerced.auth);
  }

  /** Finds a piece. A built-in one has one version, which runs whatever version is asked for. */
  protected pieceNamed(name: string, _version?: string): PieceDefinition | null {
    return this.pieces.get(resolvePieceName(name)) ?? null;
  }
}

const checks = (piece: PieceDefinition, auth: unknown): boolean =>
  piece.validate !== undefined && (piece.validates?.(auth) ?? true);

const PUBLIC_NAME = /^@activepieces\/piece-([a-z0-9-]+)$/;

/** The name of the built-in piece for the public name that exports use. Any other name is returned unchanged. */
export function resolvePieceName(name: string): string {
  const builtIn = PUBLIC_NAME.exec(name)?.[1];
  return builtIn === undefined ? name : builtIn.replaceAll('-', '_');
}

const OTHERWISE_CALLED: ReadonlyMap<string, string> = new Map([
  ['return_response_and_wait_for_next_webhook', 'respond_and_wait'],
]);

/** Our name of a trigger or an action in an export. Most differ only in their case: `delayFor` is our `delay_for`. */
export const resolveEntryName = (name: string): string =>
  OTHERWISE_CALLED.get(name) ?? name.replace(/[a-z0-9][A-Z]/g, ([lower, upper]) => `${lower}_${upper}`).toLowerCase();

/** Finds a trigger or an action by our name, or by the name that it has in exports. */
const entryNamed = <T>(entries: Readonly<Record<string, T>> | undefined, name: string): T | undefined =>
  ownEntry(entries, name) ?? ownEntry(entries, resolveEntryName(name));

function ownEntry<T>(entries: Readonly<Record<string, T>> | undefined, name: string): T | undefined {
  return entries && Object.hasOwn(entries, name) ? entries[name] : undefined;
}

const AUTH_INPUT = { kind: 'any', displayName: 'Connection', required: true } as const;

function entryOf(
  piece: PieceDefinition,
  definition: TriggerDefinition | ActionDefinition,
): Omit<CatalogueAction, 'actionName'> {
  const { displayName, props } = definition;
  const auth = ('auth' in definition && definition.auth) || ({ kind: 'none' } as const);
  const required = Object.keys(props).filter((name) => props[name]?.required);
  const known: Props = auth.kind === 'none' ? props : { ...props, auth: AUTH_INPUT };
  const membersIn = (input: InputValues): [name: string, members: Props][] =>
    Object.entries({ ...declaredMembers(props, input), ...definition.members?.(input) });
  return {
    pieceName: piece.name,
    pieceVersion: piece.version,
    displayName,
    requiredInputs: auth.kind === 'none' ? required : ['auth', ...required],
    unknownInputs: (input) => [
      ...unknownKeys(known, input),
      ...unknownAuthMembers(auth, input['auth']),
      ...[...membersIn(input), ...Object.entries(itemMembers(props))].flatMap(([name, members]) =>
        unknownMembers(members, input[name], name),
      ),
    ],
    inputProblems: (input) => [
      ...authProblems(auth, input['auth']),
      ...inputProblems(props, input),
      ...membersIn(input).flatMap(([name, members]) => memberProblems(members, input[name], name)),
      ...(isCalledWithoutRun(definition) ? triggerExpressionProblems(input) : []),
      ...(definition.problems?.(input) ?? []),
    ],
    inputWarnings: (input) => definition.warnings?.(input) ?? [],
  };
}

/** Whether the piece is called with the input of this trigger, while no run exists. */
const isCalledWithoutRun = (definition: TriggerDefinition | ActionDefinition): boolean =>
  'resultType' in definition && ['poll' as const, ...TRIGGER_HOOKS].some((call) => definition[call] !== undefined);

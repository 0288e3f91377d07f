import {
  canonical,
  fingerprint,
  HiddenValues,
  PollSource,
  ReferringTexts,
  shownText,
  ServiceUnavailableError,
  type AskedSchedule,
  type Clock,
  type Elsewhere,
  type OutboundAnswer,
  type OutboundHttp,
  type OutboundRequest,
  type PollAnswer,
  type PieceRef,
  type PollQuestion,
  type StoreEntries,
} from '@millrace/domain';
import { coerceAuth } from '../framework/auth';
import { ActionFailure, type PieceDefinition, type TriggerDefinition } from '../framework/piece';
import { BufferedStore } from './buffered-store';
import { coerceAll } from './coerce-all';
import {
  assertSecretsKnown,
  connectionReader,
  readGivenInput,
  type KnownValues,
  type NamedValues,
} from './given-input';
import { BufferedHookStore } from './hook-store';
import { messageOf, unlessAborted, withBoth } from './piece-calls';
import { FilesOfTriggerCall, type TriggerFiles } from './trigger-files';

// Polls with the triggers of built-in pieces.
//
// H1. A failing trigger gives a value. The call rejects only after an abort of the signal, and when one of our own
//     services is out of reach.
// H2. A trigger is called only with an input that fits its props.
// H3. A message never contains the value of a connection, or a secret of the trigger.

/** Finds the trigger of a flow. */
export interface TriggerSource {
  know(refs: readonly PieceRef[]): Promise<void>;
  triggerOf(
    pieceName: string,
    triggerName: string,
    pieceVersion: string,
  ): { piece: PieceDefinition; trigger: TriggerDefinition } | null;
}

/** The services by which triggers reach the outside. */
export interface PollServices extends NamedValues, TriggerFiles {
  http: OutboundHttp;
  clock: Clock;
  store: Pick<StoreEntries, 'get'>;
}

const atOnce: Elsewhere = (work) => work(() => undefined);
const LONGEST_MESSAGE = 1_000;
/** Clocks differ, so a poll may come a little before its moment. */
const NEARLY_MS = 5_000;

export class PollHost extends PollSource {
  constructor(
    private readonly pieces: TriggerSource,
    private readonly services: PollServices,
  ) {
    super();
  }

  override async ask(question: PollQuestion, signal: AbortSignal, elsewhere = atOnce): Promise<PollAnswer> {
    const { projectId } = question;
    const known: KnownValues = {
      hidden: new HiddenValues(),
      texts: new ReferringTexts((externalIds) => this.services.connections(projectId, externalIds)),
    };
    try {
      return await unlessAborted(signal, () => this.poll(question, { signal, elsewhere }, known));
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof ServiceUnavailableError) throw error; // our own service failed, not the source
      const message = known.hidden.mask(messageOf(error)).slice(0, LONGEST_MESSAGE);
      const retryAfterMs = error instanceof ActionFailure ? error.retryAfterMs : undefined;
      return { kind: 'failed', message, ...(retryAfterMs !== undefined && { retryAfterMs }) };
    }
  }

  private async poll(
    { flowId, projectId, trigger: asked, last }: PollQuestion,
    { signal, elsewhere }: { signal: AbortSignal; elsewhere: Elsewhere },
    known: KnownValues,
  ): Promise<PollAnswer> {
    const { piece, trigger, poll, found } = await this.find(asked);
    const { input: written, triggerName } = found.settings;
    const given = await readGivenInput(this.services, trigger, { flowId, trigger: found }, known);
    assertSecretsKnown(trigger, given);
    const source = sourceOf(piece, triggerName, trigger, written);
    const untilMs = source === last.source ? this.earlyBy(last.dueAt) : 0;
    if (untilMs > 0) return { kind: 'early', untilMs };

    const { texts } = known;
    const store = new BufferedStore(source === last.source ? await revealedStore(last, texts) : {});
    const http = new ProjectHttp(this.services.http, projectId, signal);
    const read = await readInput(trigger, { given, written }, { http, signal });
    const now = (): Date => this.services.clock.now();
    let schedule: AskedSchedule | undefined;
    const setSchedule = (wanted: AskedSchedule): void => void (schedule = wanted);
    const flow = { id: flowId, projectId };
    const connection = connectionReader(known);
    const flowStore = new BufferedHookStore(this.services.store, flow, [], texts);
    const files = new FilesOfTriggerCall({ flow, http, signal }, this.services.files, this.services.newId());
    const means = { flow, connection, signal, http, store, flowStore, files, elsewhere, now, setSchedule };
    return files.during(async () => {
      const items = await poll({ ...read, ...means });
      const { writes } = flowStore;
      return {
        kind: 'found',
        ...(store.isChanged ? hiddenStore(store.values(), texts) : storeOf(last)),
        source,
        items: files.comparable(items),
        texts,
        ...(writes.length > 0 && { writes }),
        ...(schedule && { schedule }),
        ...(files.haveBeenWritten && { deleteFilesUnless: (kept) => files.deleteUnless(kept) }),
      };
    });
  }

  private async find(asked: PollQuestion['trigger']) {
    if (asked.type !== 'PIECE_TRIGGER') throw new ActionFailure('The flow has no trigger that polls.');
    const { pieceName, pieceVersion, triggerName } = asked.settings;
    await this.pieces.know([{ name: pieceName, version: pieceVersion }]);
    const { piece, trigger } = this.pieces.triggerOf(pieceName, triggerName, pieceVersion) ?? {};
    if (!piece || !trigger?.poll)
      throw new ActionFailure(`The piece ${pieceName} has no trigger ${triggerName} that polls.`);
    return { piece, trigger, poll: trigger.poll.bind(trigger), found: asked };
  }

  /** How long it is until the moment at which the trigger wants to be asked; 0 when it has come, or nearly. */
  private earlyBy(dueAt: number | undefined): number {
    const untilMs = dueAt === undefined ? 0 : dueAt - this.services.clock.now().getTime();
    return untilMs > NEARLY_MS ? untilMs : 0;
  }
}

async function readInput(
  trigger: TriggerDefinition,
  values: { given: Readonly<Record<string, unknown>>; written: Readonly<Record<string, unknown>> },
  { http, signal }: { http: OutboundHttp; signal: AbortSignal },
): Promise<{ input: Readonly<Record<string, unknown>>; auth: unknown }> {
  const { given, written } = values;
  const connection = coerceAuth(trigger.auth ?? { kind: 'none' }, given['auth'], written['auth']);
  if ('problems' in connection) throw new ActionFailure(connection.problems.join(' '));
  const { auth } = connection;
  const coerced = await coerceAll(trigger, values, { auth, http, signal });
  if ('problems' in coerced) throw new ActionFailure(coerced.problems.join(' '));
  return { input: coerced.input, auth };
}

type Store = Pick<PollQuestion['last'], 'store' | 'storeReferences'>;

const storeOf = ({ store, storeReferences }: Store): Store =>
  storeReferences ? { store, storeReferences } : { store };

async function revealedStore({ store, storeReferences }: Store, texts: ReferringTexts): Promise<Store['store']> {
  if (!storeReferences) return store;
  const text = await texts.reveal({ text: JSON.stringify(store), references: storeReferences });
  return JSON.parse(text) as Store['store'];
}

function hiddenStore(values: Store['store'], texts: ReferringTexts): Store {
  const stored = texts.hide(JSON.stringify(values));
  if (typeof stored === 'string') return { store: values };
  return { store: JSON.parse(shownText(stored)) as Store['store'], storeReferences: stored.references };
}

/** A fingerprint of what is polled, as its author wrote it. A new value of a connection makes no new source. */
function sourceOf(
  piece: PieceDefinition,
  triggerName: string,
  { polledInputs }: TriggerDefinition,
  written: Readonly<Record<string, unknown>>,
): string {
  const names = polledInputs ?? Object.keys(written);
  const polled = names.filter((name) => Object.hasOwn(written, name)).map((name) => [name, written[name]]);
  return fingerprint(canonical([piece.name, triggerName, Object.fromEntries(polled)]));
}

/** The way out of a call outside of any run. */
export class ProjectHttp implements OutboundHttp {
  constructor(
    private readonly http: OutboundHttp,
    private readonly projectId: string,
    private readonly callSignal: AbortSignal,
  ) {}

  send(request: OutboundRequest): Promise<OutboundAnswer> {
    return withBoth(this.callSignal, request.signal, (signal) =>
      this.http.send({ ...request, projectId: this.projectId, signal }),
    );
  }
}

import type { PollAnswer, PollQuestion } from '@millrace/domain';
import { aFlowVersion, anId, builtInTrigger, HandDrivenClock, InMemoryStoreEntries } from '@millrace/domain/testing';
import { BuiltInPieces } from '../built-in-pieces';
import type { PieceDefinition } from '../framework/piece';
import { PollHost } from '../host/poll-host';
import { RecordingFiles } from './recording-files';
import { anAnswer, RecordingHttp } from './recording-http';

type Found = Extract<PollAnswer, { kind: 'found' }>;

/** A PollHost with services in memory. It remembers the store of the last poll, as if it had been committed. */
export class PollHostUnderTest {
  readonly http = new RecordingHttp();
  readonly clock = new HandDrivenClock();
  readonly store = new InMemoryStoreEntries();
  readonly files = new RecordingFiles();
  readonly newId = anId;
  readonly values = new Map<string, unknown>();
  /** The secrets of the flow's trigger, by id. */
  readonly sealed = new Map<string, string>();
  last: PollQuestion['last'] = { source: null, store: {} };
  readonly host: PollHost;

  constructor(pieces?: readonly PieceDefinition[]) {
    this.host = new PollHost(new BuiltInPieces(pieces), this);
  }

  async connections(_projectId: string, externalIds: readonly string[]): Promise<ReadonlyMap<string, unknown>> {
    return new Map([...this.values].filter(([externalId]) => externalIds.includes(externalId)));
  }

  async secrets(_flowId: string, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
    return new Map([...this.sealed].filter(([id]) => ids.includes(id)));
  }

  /** Polls with a trigger, called `piece.trigger`. */
  async ask(name: string, input: Record<string, unknown>, signal = new AbortController().signal): Promise<PollAnswer> {
    const [pieceName = '', triggerName = ''] = name.split('.');
    const { trigger } = aFlowVersion([], { trigger: builtInTrigger(pieceName, triggerName) });
    const question = { ...trigger, settings: { ...trigger.settings, input } } as PollQuestion['trigger'];
    const { last } = this;
    const answer = await this.host.ask({ flowId: 'flow_1', projectId: 'project_1', trigger: question, last }, signal);
    if (answer.kind === 'found') {
      const { source, store, storeReferences } = answer;
      this.last = { source, store, storeReferences };
    }
    return answer;
  }

  /** Polls with success. The next poll remembers the store of this one. */
  async items(
    name: string,
    input: Record<string, unknown>,
    answer?: Parameters<typeof anAnswer>[0],
  ): Promise<Found['items']> {
    if (answer) this.http.answer = () => Promise.resolve(anAnswer(answer));
    const found = await this.ask(name, input);
    if (found.kind === 'found') return found.items;
    throw new Error(JSON.stringify(found));
  }

  /** Polls without success, and resolves with the reason. */
  async failure(
    name: string,
    input: Record<string, unknown>,
    answer?: Parameters<typeof anAnswer>[0],
  ): Promise<string> {
    if (answer) this.http.answer = () => Promise.resolve(anAnswer(answer));
    const found = await this.ask(name, input);
    if (found.kind === 'failed') return found.message;
    throw new Error('The poll succeeded.');
  }
}

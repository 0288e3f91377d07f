import { ApiError, UnreachableError } from '../api/api-error';
import { shown } from './draft';
import { DraftStore, troubleOf } from './draft-store';
import type { SavedFlow } from './flow-requests';
import type { Operation } from './operation';
import { aSavedFlow, aTrigger } from './testing/a-flow';

const named = (displayName: string): Operation => ({ type: 'CHANGE_NAME', request: { displayName } });

/** A service that answers when the test says so. */
function aService() {
  const sent: {
    operation: Operation;
    etag: string;
    answer: (saved: SavedFlow) => void;
    refuse: (e: unknown) => void;
  }[] = [];
  const kept: (readonly Operation[])[] = [];
  const store = new DraftStore(aSavedFlow(), [], {
    send: (operation, etag) => new Promise((answer, refuse) => sent.push({ operation, etag, answer, refuse })),
    read: async () => aSavedFlow(aTrigger(), '"9"', 'Theirs'),
    keep: (unsaved) => kept.push(unsaved),
  });
  const settled = () => new Promise<void>((done) => setImmediate(done));
  return { store, sent, kept, settled };
}

describe('the store of the draft', () => {
  beforeEach(() => jest.useFakeTimers({ doNotFake: ['setImmediate'] }));
  afterEach(() => jest.useRealTimers());

  it('sends the second operation after the first was answered, with the new tag', async () => {
    const { store, sent, kept, settled } = aService();

    store.dispatch({ kind: 'edit', operation: named('A') });
    store.dispatch({ kind: 'edit', operation: named('B') });
    const before = sent.length;
    sent[0]?.answer(aSavedFlow(aTrigger(), '"2"', 'A'));
    await settled();
    sent[1]?.answer(aSavedFlow(aTrigger(), '"3"', 'B'));
    await settled();

    expect(before).toBe(1);
    expect(sent.map(({ etag }) => etag)).toEqual(['"1"', '"2"']);
    expect(kept.at(-1)).toEqual([]);
  });

  it('sends the same again when there was no answer', async () => {
    const { store, sent, settled } = aService();

    store.dispatch({ kind: 'edit', operation: named('A') });
    sent[0]?.refuse(new UnreachableError());
    await settled();
    const meanwhile = store.current();
    jest.advanceTimersByTime(1_000);

    expect(meanwhile).toMatchObject({ queue: [named('A')], trouble: { kind: 'away' } });
    expect(sent.map(({ operation }) => operation)).toEqual([named('A'), named('A')]);
  });

  it('sends again when another person may no longer keep the flow', async () => {
    const { store, sent, settled } = aService();
    const until = new Date(Date.now() + 40_000).toISOString();

    store.dispatch({ kind: 'edit', operation: named('A') });
    sent[0]?.refuse(new ApiError(409, 'FLOW_IN_USE', `Ada is editing; it can be changed at ${until}.`, null, {}));
    await settled();
    jest.advanceTimersByTime(39_000);
    const before = sent.length;
    jest.advanceTimersByTime(3_000);

    expect(store.current().trouble).toMatchObject({ kind: 'in-use', until });
    expect([before, sent.length]).toEqual([1, 2]);
  });

  it('puts what waits on top of the change of another person when it is told to', async () => {
    const { store, sent, settled } = aService();

    store.dispatch({ kind: 'edit', operation: named('Mine') });
    sent[0]?.refuse(new ApiError(412, 'PRECONDITION_FAILED', 'It was changed.', null, {}));
    await settled();
    await store.putOnTop();

    expect(sent[1]).toMatchObject({ operation: named('Mine'), etag: '"9"' });
    expect(shown(store.current()).displayName).toBe('Mine');
  });
});

describe('the trouble of an error', () => {
  it.each([
    [new ApiError(409, 'FLOW_IN_USE', 'Ada is editing.', null, {}), 'in-use'],
    [new ApiError(412, 'PRECONDITION_FAILED', 'It was changed.', null, {}), 'changed'],
    [new ApiError(401, 'INVALID_BEARER_TOKEN', 'The session has ended.', null, {}), 'away'],
    [new ApiError(503, 'SERVICE_UNAVAILABLE', 'Later.', null, {}), 'away'],
    [new UnreachableError(), 'away'],
    [new ApiError(400, 'FLOW_OPERATION_INVALID', 'There is no such step.', null, {}), 'refused'],
  ])('%s is "%s"', (error, kind) => expect(troubleOf(error, named('A')).kind).toBe(kind));
});

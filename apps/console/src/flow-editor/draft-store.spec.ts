import { ApiError, UnreachableError } from '../api/api-error';
import type { Draft } from './draft';
import { DraftStore, failureOf } from './draft-store';
import type { SavedFlow } from './flow-requests';
import type { Operation } from './operation';
import { aSavedFlow, aTrigger } from './testing/a-flow';

const named = (displayName: string): Operation => ({ type: 'CHANGE_NAME', request: { displayName } });

const edit = (displayName: string) => ({ kind: 'edit', operations: [named(displayName)] }) as const;

/** A service that answers when the test says so. */
function aService() {
  const sent: {
    operation: Operation;
    etag: string;
    answer: (saved: SavedFlow) => void;
    refuse: (e: unknown) => void;
  }[] = [];
  const kept: Draft[] = [];
  const world = { theirs: aSavedFlow(aTrigger(), '"9"', 'Theirs'), isMine: true, isTyping: false, told: 0 };
  const store = new DraftStore(aSavedFlow(), null, {
    send: (operation, etag) => new Promise((answer, refuse) => sent.push({ operation, etag, answer, refuse })),
    read: async () => world.theirs,
    keep: (draft) => kept.push(draft),
    announce: () => (world.told += 1),
    isMine: () => world.isMine,
    isTyping: () => world.isTyping,
  });
  store.start();
  const settled = () => new Promise<void>((done) => setImmediate(done));
  return { store, sent, kept, world, settled };
}

describe('the store of the draft', () => {
  beforeEach(() => jest.useFakeTimers({ doNotFake: ['setImmediate', 'queueMicrotask'] }));
  afterEach(() => jest.useRealTimers());

  it('sends the second operation after the first was answered, with the new tag', async () => {
    const { store, sent, kept, settled } = aService();

    store.dispatch(edit('A'));
    store.dispatch(edit('B'));
    const before = sent.length;
    sent[0]?.answer(aSavedFlow(aTrigger(), '"2"', 'A'));
    await settled();
    sent[1]?.answer(aSavedFlow(aTrigger(), '"3"', 'B'));
    await settled();

    expect(before).toBe(1);
    expect(sent.map(({ etag }) => etag)).toEqual(['"1"', '"2"']);
    expect(kept.at(-1)?.queue).toEqual([]);
  });

  it('sends the same again when there was no answer', async () => {
    const { store, sent, settled } = aService();

    store.dispatch(edit('A'));
    sent[0]?.refuse(new UnreachableError());
    await settled();
    const meanwhile = store.current();
    jest.advanceTimersByTime(1_000);

    expect(meanwhile).toMatchObject({ queue: [{ operation: named('A') }], trouble: { kind: 'away' } });
    expect(sent.map(({ operation }) => operation)).toEqual([named('A'), named('A')]);
  });

  it('sends again when another person may no longer keep the flow', async () => {
    const { store, sent, settled } = aService();
    const until = new Date(Date.now() + 40_000).toISOString();

    store.dispatch(edit('A'));
    sent[0]?.refuse(new ApiError(409, 'FLOW_IN_USE', 'Ada is editing.', null, { updatedByName: 'Ada', until }));
    await settled();
    jest.advanceTimersByTime(39_000);
    const before = sent.length;
    jest.advanceTimersByTime(3_000);

    expect(store.current().trouble).toMatchObject({ kind: 'in-use', by: 'Ada', until });
    expect([before, sent.length]).toEqual([1, 2]);
  });

  it('puts what waits on top of the change of another person when it is told to', async () => {
    const { store, sent, settled } = aService();

    store.dispatch(edit('Mine'));
    sent[0]?.refuse(new ApiError(412, 'PRECONDITION_FAILED', 'It was changed.', null, {}));
    await settled();
    await store.putOnTop();

    expect(sent[1]).toMatchObject({ operation: named('Mine'), etag: '"9"' });
    expect(store.current().shown.displayName).toBe('Mine');
  });

  it('takes an operation for done whose answer was lost', async () => {
    const { store, sent, world, settled } = aService();
    world.theirs = aSavedFlow(aTrigger(), '"2"', 'A');

    store.dispatch(edit('A'));
    store.dispatch(edit('B'));
    sent[0]?.refuse(new UnreachableError());
    await settled();
    jest.advanceTimersByTime(1_000);
    sent[1]?.refuse(new ApiError(412, 'PRECONDITION_FAILED', 'It was changed.', null, {}));
    await settled();

    expect(sent[2]).toMatchObject({ operation: named('B'), etag: '"2"' });
    expect(store.current().trouble).toBeNull();
  });

  it('shows what another tab has made of the flow, while nothing waits here', async () => {
    const { store, sent, world, settled } = aService();

    store.lookAgain();
    jest.advanceTimersByTime(1_000);
    await settled();
    const followed = store.current().shown.displayName;
    store.dispatch(edit('Mine'));
    world.theirs = aSavedFlow(aTrigger(), '"11"', 'Later');
    store.lookAgain();
    jest.advanceTimersByTime(1_000);
    await settled();

    expect([followed, store.current().shown.displayName, sent[0]?.etag]).toEqual(['Theirs', 'Mine', '"9"']);
  });

  it('shows nothing of another tab while somebody types: the answer to what they type tells', async () => {
    const { store, world, settled } = aService();

    world.isTyping = true;
    store.lookAgain();
    jest.advanceTimersByTime(1_000);
    await settled();

    expect(store.current().shown.displayName).toBe('Orders');
  });

  it('sends at once what waits when the page wakes up, and looks at the flow when nothing waits', async () => {
    const { store, sent, settled } = aService();

    store.dispatch(edit('A'));
    sent[0]?.refuse(new UnreachableError());
    await settled();
    store.wakeUp();
    const again = sent.length;
    sent[1]?.answer(aSavedFlow(aTrigger(), '"2"', 'A'));
    await settled();
    store.wakeUp();
    jest.advanceTimersByTime(1_000);
    await settled();

    expect([again, sent.length, store.current().shown.displayName]).toEqual([2, 2, 'Theirs']);
  });

  it('tells the other tabs of each operation', async () => {
    const { store, sent, world, settled } = aService();

    store.dispatch(edit('A'));
    sent[0]?.answer(aSavedFlow(aTrigger(), '"2"', 'A'));
    await settled();

    expect(world.told).toBe(1);
  });

  it('sends nothing in the name of somebody else, and goes on when its person is back', async () => {
    const { store, sent, world, settled } = aService();

    world.isMine = false;
    store.dispatch(edit('A'));
    await settled();
    const meanwhile = sent.length;
    world.isMine = true;
    store.start();

    expect([meanwhile, sent.length]).toEqual([0, 1]);
  });

  it('keeps what waits when the flow is gone', async () => {
    const { store, sent, settled } = aService();

    store.dispatch(edit('A'));
    sent[0]?.refuse(new ApiError(404, 'ENTITY_NOT_FOUND', 'There is no such flow.', null, {}));
    await settled();

    expect(store.current()).toMatchObject({ queue: [{ operation: named('A') }], trouble: { kind: 'stopped' } });
  });
});

describe('the failure of an error', () => {
  it.each([
    [new ApiError(409, 'FLOW_IN_USE', 'Ada is editing.', null, {}), 'in-use'],
    [new ApiError(401, 'INVALID_BEARER_TOKEN', 'The session has ended.', null, {}), 'away'],
    [new ApiError(408, 'REQUEST_TIMEOUT', 'It did not arrive in time.', null, {}), 'away'],
    [new ApiError(503, 'SERVICE_UNAVAILABLE', 'Later.', null, {}), 'away'],
    [new UnreachableError(), 'away'],
    [new ApiError(403, 'PERMISSION_DENIED', 'You may not.', null, {}), 'stopped'],
    [new ApiError(400, 'FLOW_OPERATION_INVALID', 'There is no such step.', null, {}), 'refused'],
  ])('%s is "%s"', (error, kind) => expect(failureOf(error).kind).toBe(kind));
});

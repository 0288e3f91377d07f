import { EventEmitter } from 'node:events';
import { LiveConnection, PROJECT_ROOM, runRoom, type LiveSocket, type RoomListener } from './live-connection';

/** A socket that a test connects, cuts and speaks through. */
class FakeSocket implements LiveSocket {
  connected = false;
  active = true;
  readonly sent: string[] = [];
  connects = 0;
  answer: { error?: { code: string } } = {};
  private readonly events = new EventEmitter();

  on(name: string, listener: (value: never) => void): void {
    this.events.on(name, listener as (value: unknown) => void);
  }
  emitWithAck(name: string, room: string) {
    this.sent.push(`${name} ${room}`);
    return Promise.resolve(this.answer);
  }
  connect(): void {
    this.connects++;
  }
  disconnect(): void {
    this.connected = false;
    this.sent.push('disconnect');
  }
  say(name: string, value?: unknown): void {
    if (name === 'connect') this.connected = true;
    if (name === 'disconnect') this.connected = false;
    this.events.emit(name, value);
  }
}

const settled = () => jest.advanceTimersByTimeAsync(0);

describe('LiveConnection', () => {
  let socket: FakeSocket;
  let heard: string[];
  let isSignedIn: boolean;
  let connection: LiveConnection;

  beforeEach(() => {
    jest.useFakeTimers();
    socket = new FakeSocket();
    heard = [];
    isSignedIn = true;
    connection = new LiveConnection({
      open: () => Promise.resolve(socket),
      renew: () => {
        heard.push('renew');
        return Promise.resolve(isSignedIn);
      },
    });
  });
  afterEach(() => jest.useRealTimers());

  const listener = (name: string): RoomListener => ({
    entered: () => heard.push(`${name} entered`),
    left: () => heard.push(`${name} left`),
    summary: ({ runs }) => heard.push(`${name} has ${runs.length} runs`),
    step: ({ path }) => heard.push(`${name} has ${path}`),
  });
  const connect = async () => {
    await settled();
    socket.say('connect');
    await settled();
  };

  it('enters the rooms that are listened to when it is connected, and passes on what is said there', async () => {
    connection.listen(PROJECT_ROOM, listener('runs'));
    connection.listen(runRoom('r1'), listener('run'));
    await connect();

    socket.say('flow_runs.summary', { runs: [{}, {}] });
    socket.say('flow_run.step', { runId: 'r1', path: 'each[2].tell' });
    socket.say('flow_run.step', { runId: 'r2', path: 'other' });

    expect(socket.sent).toEqual(['subscribe project', 'subscribe run:r1']);
    expect(heard).toEqual(['runs entered', 'run entered', 'runs has 2 runs', 'run has each[2].tell']);
  });

  it('enters a room once for several listeners', async () => {
    connection.listen(PROJECT_ROOM, listener('one'));
    await connect();
    connection.listen(PROJECT_ROOM, listener('other'));
    await settled();

    expect(socket.sent).toEqual(['subscribe project']);
    expect(heard).toEqual(['one entered', 'other entered']);
  });

  it('tells that a room was left when the connection is cut, and enters it again', async () => {
    connection.listen(PROJECT_ROOM, listener('runs'));
    await connect();

    socket.say('disconnect', 'transport close');
    await connect();

    expect(heard).toEqual(['runs entered', 'runs left', 'runs entered']);
  });

  it('comes back with a new token when the service has closed the connection', async () => {
    connection.listen(PROJECT_ROOM, listener('runs'));
    await connect();
    const before = socket.connects;

    socket.say('disconnect', 'io server disconnect');
    await settled();

    expect(heard).toEqual(['runs entered', 'runs left', 'renew']);
    expect(socket.connects).toBe(before + 1);
  });

  it('stays away when the session has ended', async () => {
    isSignedIn = false;
    connection.listen(PROJECT_ROOM, listener('runs'));
    await connect();
    const before = socket.connects;

    socket.say('disconnect', 'io server disconnect');
    await jest.advanceTimersByTimeAsync(120_000);

    expect(socket.connects).toBe(before);
  });

  it('tries again later when it was refused', async () => {
    connection.listen(PROJECT_ROOM, listener('runs'));
    await settled();
    socket.active = false;
    socket.say('connect_error', { data: { code: 'RATE_LIMITED' } });
    await settled();
    const before = socket.connects;

    await jest.advanceTimersByTimeAsync(30_000);

    expect(socket.connects).toBe(before + 1);
  });

  it('does not say that a room was entered into which it was not let', async () => {
    socket.answer = { error: { code: 'RATE_LIMITED' } };
    connection.listen(PROJECT_ROOM, listener('runs'));
    await connect();

    expect(heard).toEqual([]);
  });

  it('leaves a room that nobody listens to any more, and closes after a while', async () => {
    const stop = connection.listen(PROJECT_ROOM, listener('runs'));
    await connect();

    stop();
    await settled();
    expect(socket.sent.at(-1)).toBe('unsubscribe project');
    await jest.advanceTimersByTimeAsync(10_000);

    expect(socket.sent.at(-1)).toBe('disconnect');
  });

  it('stays open from one page to the next', async () => {
    const stop = connection.listen(PROJECT_ROOM, listener('runs'));
    await connect();

    stop();
    connection.listen(runRoom('r1'), listener('run'));
    await jest.advanceTimersByTimeAsync(10_000);

    expect(socket.sent).toEqual(['subscribe project', 'unsubscribe project', 'subscribe run:r1']);
  });
});

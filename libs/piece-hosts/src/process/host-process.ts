import type { ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import type { Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { HostLimits } from '../walls/host-command';
import { LookUpsOfCall, type LookUpRecords } from '../way-out/look-ups';
import { WayOut, type ResolveTarget, type WayOutBounds } from '../way-out/way-out';
import { FrameChannel, type ChannelEvents } from './frame-channel';
import { BrokenFrameError, MOST_WORK_OF_MESSAGE } from './frames';
import { HostCall, type AskedOfCall, type HostAnswer, type Services } from './host-call';
import { HostFailure } from './host-failure';
import { removeHostFolder, type HostFolder } from '../folders/host-folder';
import { HostOutput } from './host-output';
import { copyFolder } from '../folders/copy-folder';
import { channelOf, codeOf, endingOf, preparedFolder, startProcess, type StartOptions } from './host-start';
import { readFromHost, sentError, type FromHost, type ToHost } from './messages';
import { Pace } from './pace';

export interface HostOptions extends StartOptions {
  readonly limits: HostLimits & WayOutBounds;
  readonly resolve: ResolveTarget;
  /** Answers questions for SRV and TXT records, by which drivers find their servers. */
  readonly lookUp?: LookUpRecords;
}

/** A service in the worker that the calls of a host reach by a name of its own, as if it were in the network. */
export interface InsideService {
  readonly host: string;
  readonly port: number;
  /** Takes a connection, and begins to read it at once. It ends with the call. */
  take(socket: Socket): void;
}

export interface CallOptions {
  readonly services: Services;
  /**
   * Services during which nothing leaves the host: it does so when they have succeeded. They begin when the worker reads
   * that they are asked for, so what the package sent at once after asking may have passed over an open connection.
   */
  readonly committing?: readonly string[];
  /** What the call reaches inside of the worker. Its host name leads nowhere else, and at no other port. */
  readonly inside?: InsideService;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

type Settle = (result: HostAnswer | HostFailure) => void;

const START_MS = 20_000;
const MORE_THAN_A_CALL_MAY = 'The piece asked for more than a call may.';
/**
 * A piece may ask for something after its call, for example without waiting for the answer. It gets none. After so many,
 * its host is replaced between two calls, none of which fails for what an earlier one has left behind.
 */
const MOST_LATE_ASKS = 100;
/**
 * A process that runs the code of one package behind walls, one call at a time. It serves one project only, because
 * what a call leaves in it is there for the next. Whatever it sends may be forged by the package, and can name nothing
 * but what its present call may do.
 */
export class HostProcess {
  /** How much memory it said it had after its last call. */
  memoryMb = 0;
  private call: HostCall | null = null;
  /** From the begin of a call until its caller has the answer. */
  private isCalled = false;
  private hasChangedPrototypes = false;
  private settle: Settle = () => undefined;
  private lastId = 0;
  private lateAsks = 0;
  private failure: HostFailure | null = null;
  private readonly output: HostOutput;
  private readonly pace = new Pace();
  private readonly channel: FrameChannel;
  private readonly wayOut: WayOut;
  private readonly ready: Promise<void>;
  private becomeReady: (() => void) | null = null;
  private loading: Promise<void> = Promise.resolve();
  /** Resolves when the process is gone and its folder is removed. */
  readonly ended: Promise<void>;

  /** Starts a process and waits until it takes calls. Throws HostFailure. */
  static async start(options: HostOptions): Promise<HostProcess> {
    const place = await preparedFolder(options);
    const host = new HostProcess(startProcess(options, place), place, options);
    await host.untilReady();
    return host;
  }

  private constructor(
    private readonly process: ChildProcess,
    private readonly place: HostFolder,
    private readonly options: HostOptions,
  ) {
    const { resolve, limits } = options;
    this.output = new HostOutput(process, () => this.misused('The piece printed more than it may.'));
    this.wayOut = new WayOut(place.folder, resolve, limits);
    this.ready = new Promise((done) => (this.becomeReady = done));
    const messages: ChannelEvents = {
      message: (message, bytes, work) => this.take(readFromHost(message), bytes, work),
      broken: (error) => this.misused('The piece sent a message that cannot be read.', error),
    };
    this.channel = new FrameChannel(channelOf(process), messages, this.pace);
    this.ended = this.untilEnded();
  }

  get hasEnded(): boolean {
    return this.failure !== null;
  }

  /** Another call may fail for what the last ones have left behind. */
  get isHarmed(): boolean {
    return this.hasChangedPrototypes || this.lateAsks > MOST_LATE_ASKS;
  }

  /**
   * Runs the main module of the package in this folder, of which the host gets a copy. Throws HostFailure. A host loads
   * one package.
   */
  async load(packageFolder: string, main: string, options: CallOptions): Promise<HostAnswer> {
    const own = join(this.place.folder, 'package');
    this.loading = copyFolder(packageFolder, own).catch((cause: unknown) => {
      throw new HostFailure('ended', `The package cannot be read (${codeOf(cause)}).`, { cause });
    });
    await this.loading;
    return this.begin((id) => ({ type: 'load', id, file: join(own, main) }), options);
  }

  /** Answers a request of the loaded package. Throws HostFailure when the host did not outlive the call. */
  run(request: unknown, options: CallOptions): Promise<HostAnswer> {
    return this.begin((id) => ({ type: 'call', id, request }), options);
  }

  /** Ends the process. A call under way fails with this failure. */
  stop(failure = stopped()): Promise<void> {
    this.fail(failure);
    return this.ended;
  }

  private async begin(
    message: (id: number) => ToHost,
    { services, committing, inside, timeoutMs, signal }: CallOptions,
  ): Promise<HostAnswer> {
    if (this.isCalled) throw new Error('A host takes one call at a time.');
    if (this.failure) throw this.failure;
    this.isCalled = true;
    const late = `The piece reached its time limit of ${timeoutMs / 1_000} s.`;
    const limit = setTimeout(() => this.fail(new HostFailure('time', late)), timeoutMs);
    const stop = (): void => this.fail(stopped());
    signal?.addEventListener('abort', stop, { once: true });
    const lookUps = new LookUpsOfCall(this.options.lookUp);
    try {
      const result = await new Promise<HostAnswer | HostFailure>((settle) => {
        this.settle = settle;
        const offered = {
          ...services,
          openWay: (host: unknown, port: unknown) => this.openWay(host, port, inside),
          lookUp: lookUps.ask.bind(lookUps),
        };
        this.call = new HostCall(++this.lastId, offered, committing);
        this.wayOut.beginCall();
        this.output.begin();
        if (signal?.aborted) stop();
        else this.send(message(this.lastId));
      });
      if (result instanceof HostFailure) throw result.ofCall(this.output.end());
      return result;
    } finally {
      this.endCall();
      this.isCalled = false;
      lookUps.end();
      this.wayOut.endCall();
      if (this.wayOut.isLost) this.fail(stopped()); // the next call has another host
      clearTimeout(limit);
      signal?.removeEventListener('abort', stop);
    }
  }

  private take(message: FromHost | null, bytes: number, work: number): void {
    if (this.failure) return; // what it had sent before its end
    if (message?.type === 'ready') this.isNowReady();
    else if (message?.type === 'ask') void this.answer(message, bytes, work);
    else if (message?.type === 'result' && message.id === this.call?.id) void this.end(message);
    else this.misused('The piece sent a message that belongs to no call.');
  }

  /** A host says so once. A package that says it on and on would keep the worker busy. */
  private isNowReady(): void {
    const { becomeReady } = this;
    this.becomeReady = null;
    if (becomeReady) becomeReady();
    else this.misused('The piece sent a message that belongs to no call.');
  }

  /** What was printed before the result is read in the same turn of the event loop as the result. */
  private async end(message: Extract<FromHost, { type: 'result' }>): Promise<void> {
    this.endCall();
    this.memoryMb = message.memoryMb;
    this.hasChangedPrototypes = message.isHarmed;
    await nextTurn();
    const output = this.output.end();
    this.settle('error' in message ? { error: message.error, output } : { value: message.value ?? null, output });
  }

  private endCall(): void {
    this.call?.end();
    this.call = null;
  }

  private async answer(asked: AskedOfCall, bytes: number, work: number): Promise<void> {
    const { call } = this;
    if (call && !call.takes(work)) return this.misused(MORE_THAN_A_CALL_MAY);
    if (asked.id !== call?.id) return this.answerLate(asked);
    const served = call.serve(asked, bytes);
    if (!served) return this.misused(MORE_THAN_A_CALL_MAY);
    if (call.commits(asked)) this.wayOut.hold(served);
    call.spend(await this.sendAnswer(asked, served));
    await this.channel.rest;
    call.answered(asked, bytes);
  }

  private answerLate(asked: AskedOfCall): void {
    if (++this.lateAsks > MOST_LATE_ASKS && !this.isCalled)
      return this.misused('The piece asked for too much after its call.');
    void this.sendAnswer(asked, Promise.reject(new Error('The call has ended.')));
  }

  /** Sends an answer, or why there is none. Resolves with what that cost, in values. */
  private async sendAnswer({ ask, service }: AskedOfCall, served: Promise<unknown>): Promise<number> {
    let work = 0;
    try {
      const value = await served;
      while (this.channel.rest) await this.channel.rest;
      if (this.failure) return work;
      work = MOST_WORK_OF_MESSAGE; // what is too long to be sent has cost as much
      work = this.channel.send({ type: 'answer', ask, value });
    } catch (error) {
      work += this.channel.send({ type: 'answer', ask, error: sentError(asAnswerError(service, error)) });
    }
    this.pace.spend(work);
    return work;
  }

  private openWay(host: unknown, port: unknown, inside?: InsideService): Promise<string> {
    if (!inside || nameOf(host) !== inside.host) return this.wayOut.openTo(String(host), Number(port));
    if (Number(port) === inside.port) return this.wayOut.openInside(inside.take.bind(inside));
    return Promise.reject(new Error(`${inside.host} is reached at the port ${inside.port} alone.`));
  }

  /** Begins a call, which fails when what it gets is too long to be sent. */
  private send(message: ToHost): void {
    if (this.failure) return;
    try {
      this.channel.send(message);
    } catch (error) {
      if (!(error instanceof BrokenFrameError)) throw error;
      this.fail(new HostFailure('misused', 'What a piece gets at once is too long.', { cause: error }));
    }
  }

  private misused(message: string, cause?: Error): void {
    this.fail(new HostFailure('misused', message, { cause }));
  }

  /** Ends the process, and the call under way with it. The first failure counts. */
  private fail(failure: HostFailure): void {
    this.failure ??= failure;
    this.process.kill('SIGKILL');
    this.channel.close();
    this.wayOut.close();
    this.settle(this.failure);
  }

  private async untilReady(): Promise<void> {
    const limit = setTimeout(() => this.fail(new HostFailure('time', 'A piece host did not start.')), START_MS);
    await Promise.race([this.ready, this.ended]);
    clearTimeout(limit);
    if (this.failure) throw this.failure;
  }

  private async untilEnded(): Promise<void> {
    const failure = await endingOf(this.process, () => this.output.text);
    this.fail(failure);
    await this.loading.catch(() => undefined); // `load` tells of it; nothing may be copied after the folder is gone
    await removeHostFolder(this.place.folder);
  }
}

function asAnswerError(service: string, error: unknown): unknown {
  if (!(error instanceof BrokenFrameError)) return error;
  return new Error(`The answer to ${JSON.stringify(service.slice(0, 40))} is too large. ${error.message}`);
}

const nameOf = (host: unknown): string => String(host).toLowerCase().replace(/\.$/, '');

const stopped = (): HostFailure => new HostFailure('stopped', 'The piece was stopped.');

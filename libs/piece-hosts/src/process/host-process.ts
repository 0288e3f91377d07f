import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmod, copyFile, mkdtemp, rm } from 'node:fs/promises';
import type { Duplex } from 'node:stream';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HOST_ENVIRONMENT, hostCommand, type HostLimits, type Walls } from '../walls/host-command';
import { WayOut, type ResolveTarget, type WayOutBounds } from '../way-out/way-out';
import { FrameChannel } from './frames';
import { HostFailure } from './host-failure';
import { HostOutput } from './host-output';
import { linkFolder } from './link-folder';
import { readFromHost, sentError, type FromHost, type SentError, type ToHost } from './messages';

export interface HostOptions {
  readonly walls: Walls;
  readonly limits: HostLimits & WayOutBounds;
  /** The compiled `host-program`. */
  readonly program: string;
  readonly resolve: ResolveTarget;
}

/** What a call may ask its worker for. */
export type Services = Readonly<Record<string, (...args: readonly unknown[]) => Promise<unknown>>>;

export interface CallOptions {
  readonly services: Services;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

/** How a call ended whose host lives on. */
export type HostAnswer = ({ readonly value: unknown } | { readonly error: SentError }) & {
  /** What the package printed, cut at a bound. */
  readonly output: string;
};

const START_MS = 20_000;
/** What one call may ask for at once, and together. */
const MOST_OPEN_ASKS = 64;
const MOST_ASKS = 10_000;
/** A host that asks and does not read the answers is ended. */
const MOST_WAITING_BYTES = 64 * 1024 * 1024;
/** How a process ends whose memory is at its limit. It is the first process of its namespace, which no abort ends. */
const OUT_OF_MEMORY_SIGNALS: readonly (string | null)[] = ['SIGABRT', 'SIGSEGV', 'SIGTRAP', 'SIGILL', 'SIGBUS'];
const OUT_OF_MEMORY_CODES: readonly (number | null)[] = [132, 133, 134, 135, 139];

interface Call {
  readonly id: number;
  readonly services: Services;
  readonly settle: (result: HostAnswer | HostFailure) => void;
  asks: number;
  openAsks: number;
}

/**
 * A process that runs the code of one package behind walls, one call at a time. It serves one project only, because
 * what a call leaves in it is there for the next. Whatever it sends may be forged by the package, and can name nothing
 * but what its present call may do.
 */
export class HostProcess {
  /** How much memory it said it had after its last call. */
  memoryMb = 0;
  private call: Call | null = null;
  private lastId = 0;
  private failure: HostFailure | null = null;
  private readonly output = new HostOutput();
  private readonly channel: FrameChannel;
  private readonly wayOut: WayOut;
  private readonly ready: Promise<void>;
  private becomeReady: () => void = () => undefined;
  /** Resolves when the process is gone and its folder is removed. */
  readonly ended: Promise<void>;

  /** Starts a process and waits until it takes calls. Throws HostFailure. */
  static async start(options: HostOptions): Promise<HostProcess> {
    const folder = await mkdtemp(join(tmpdir(), 'piece-host-'));
    // The host may open what it knows the name of, and list nothing.
    await chmod(folder, 0o711);
    const program = join(folder, 'host-program.cjs');
    await copyFile(options.program, program);
    const host = new HostProcess(options, folder, program);
    await host.untilReady();
    return host;
  }

  private constructor(
    options: HostOptions,
    private readonly folder: string,
    program: string,
  ) {
    const [command = '', ...args] = hostCommand(options.walls, options.limits, { program, folder });
    this.process = spawn(command, args, {
      cwd: folder,
      env: HOST_ENVIRONMENT,
      stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    });
    this.output.read(this.process);
    this.wayOut = new WayOut(folder, options.resolve, options.limits);
    this.ready = new Promise((resolve) => (this.becomeReady = resolve));
    this.channel = new FrameChannel(this.process.stdio[3] as Duplex, {
      message: (message) => this.take(readFromHost(message)),
      broken: (error) =>
        this.fail(new HostFailure('misused', 'The piece sent a message that cannot be read.', { cause: error })),
    });
    this.ended = this.untilEnded();
  }

  private readonly process: ChildProcess;

  get isBusy(): boolean {
    return this.call !== null;
  }

  get hasEnded(): boolean {
    return this.failure !== null;
  }

  /**
   * Runs the main module of the package in this folder, which the host gets in its own. Throws HostFailure. A host loads
   * one package.
   */
  async load(packageFolder: string, main: string, options: CallOptions): Promise<HostAnswer> {
    const own = join(this.folder, 'package');
    await linkFolder(packageFolder, own);
    return this.begin((id) => ({ type: 'load', id, file: join(own, main) }), options);
  }

  /** Answers a request of the loaded package. Throws HostFailure when the host did not outlive the call. */
  run(request: unknown, options: CallOptions): Promise<HostAnswer> {
    return this.begin((id) => ({ type: 'call', id, request }), options);
  }

  /** Ends the process. A call under way fails with this failure. */
  stop(failure = new HostFailure('stopped', 'The piece was stopped.')): Promise<void> {
    this.fail(failure);
    return this.ended;
  }

  private async begin(message: (id: number) => ToHost, options: CallOptions): Promise<HostAnswer> {
    if (this.call) throw new Error('A host takes one call at a time.');
    if (this.failure) throw this.failure;
    const { timeoutMs, signal } = options;
    const limit = setTimeout(() => {
      this.fail(new HostFailure('time', `The piece reached its time limit of ${timeoutMs / 1_000} s.`));
    }, timeoutMs);
    const stop = (): void => this.fail(new HostFailure('stopped', 'The piece was stopped.'));
    signal?.addEventListener('abort', stop, { once: true });
    try {
      const result = await new Promise<HostAnswer | HostFailure>((settle) => {
        this.call = { id: ++this.lastId, services: options.services, settle, asks: 0, openAsks: 0 };
        this.wayOut.beginCall();
        this.output.begin();
        if (signal?.aborted) stop();
        else this.channel.send(message(this.lastId));
      });
      if (result instanceof HostFailure) throw result;
      return result;
    } finally {
      this.call = null;
      clearTimeout(limit);
      signal?.removeEventListener('abort', stop);
    }
  }

  private take(message: FromHost | null): void {
    if (message?.type === 'ready') this.becomeReady();
    else if (message?.type === 'ask') void this.answer(message);
    else if (message?.type === 'result' && message.id === this.call?.id) this.end(message);
    else this.fail(new HostFailure('misused', 'The piece sent a message that belongs to no call.'));
  }

  private end(message: Extract<FromHost, { type: 'result' }>): void {
    const output = this.output.text;
    this.memoryMb = message.memoryMb;
    this.call?.settle('error' in message ? { error: message.error, output } : { value: message.value ?? null, output });
  }

  private async answer({ ask, service, args }: Extract<FromHost, { type: 'ask' }>): Promise<void> {
    const { call } = this;
    // A piece may go on after its answer, and what it asks for then belongs to no call.
    if (!call) return this.reply({ type: 'answer', ask, error: { name: 'Error', message: 'The call has ended.' } });
    if (++call.asks > MOST_ASKS || call.openAsks >= MOST_OPEN_ASKS || this.channel.waitingBytes > MOST_WAITING_BYTES)
      return this.fail(new HostFailure('misused', 'The piece asked for more than a call may.'));
    call.openAsks++;
    try {
      this.reply({ type: 'answer', ask, value: await this.serve(call, service, args) });
    } catch (error) {
      this.reply({ type: 'answer', ask, error: sentError(error) });
    } finally {
      call.openAsks--;
    }
  }

  private serve(call: Call, service: string, args: readonly unknown[]): Promise<unknown> {
    if (service === 'openWay') return this.wayOut.openTo(String(args[0]), Number(args[1]));
    const offered = Object.hasOwn(call.services, service) ? call.services[service] : undefined;
    if (!offered) throw new Error(`A piece cannot ask for ${JSON.stringify(service.slice(0, 40))} here.`);
    return offered(...args);
  }

  private reply(message: ToHost): void {
    if (!this.failure) this.channel.send(message);
  }

  /** Ends the process, and the call under way with it. The first failure counts. */
  private fail(failure: HostFailure): void {
    this.failure ??= failure;
    this.process.kill('SIGKILL');
    this.wayOut.close();
    this.call?.settle(this.failure);
  }

  private async untilReady(): Promise<void> {
    const limit = setTimeout(() => this.fail(new HostFailure('time', 'A piece host did not start.')), START_MS);
    await Promise.race([this.ready, this.ended]);
    clearTimeout(limit);
    if (this.failure) throw this.failure;
  }

  private async untilEnded(): Promise<void> {
    const [code, signal] = (await once(this.process, 'exit').catch((error: Error) => [null, null, error])) as [
      number | null,
      string | null,
    ];
    this.fail(endOf(code, signal, this.output.text));
    await rm(this.folder, { recursive: true, force: true });
  }
}

function endOf(code: number | null, signal: string | null, output: string): HostFailure {
  if (OUT_OF_MEMORY_SIGNALS.includes(signal) || OUT_OF_MEMORY_CODES.includes(code))
    return new HostFailure('memory', 'The piece reached its memory limit.');
  const how = signal ?? `exit code ${code}`;
  return new HostFailure('ended', `The piece ended its process (${how}). ${output.slice(-500)}`.trimEnd());
}

import { Socket } from 'node:net';
import { FrameChannel } from '../process/frame-channel';
import { frameOf } from '../process/frames';
import type { FromHost, SentError, ToHost } from '../process/messages';
import { Line, type LineBounds } from '../process/line';
import { OPENING } from './requests';

const CHANNEL_FD = 3;
const MEGABYTE = 1024 * 1024;
/** The worker ends a host that asks for twice as much at once. */
const AT_ONCE: LineBounds = { entries: 32, bytes: 8 * MEGABYTE };

/** The channel of a host to its worker. Only this file of the program knows it. */
export class WorkerChannel {
  private readonly asked = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();
  private readonly line = new Line(AT_ONCE);
  private lastAsk = 0;
  private readonly channel: FrameChannel;

  /** The process ends with the channel. */
  constructor(take: (message: Exclude<ToHost, { type: 'answer' }>) => void) {
    const socket = new Socket({ fd: CHANNEL_FD, readable: true, writable: true });
    const leave = (): never => process.exit(0);
    this.channel = new FrameChannel(socket, {
      message: (message) => {
        const sent = message as ToHost;
        if (sent.type === 'answer') this.settle(sent);
        else take(sent);
      },
      broken: leave,
    });
    socket.once('close', leave);
  }

  send(message: FromHost): void {
    this.channel.send(message);
  }

  /** Asks the worker for a service of a call, when less is under way than the worker takes from a piece at once. */
  async ask(id: number, service: string, args: readonly unknown[]): Promise<unknown> {
    if (service === OPENING) return this.askNow(id, service, args);
    const ask = ++this.lastAsk;
    const frame = frameOf({ type: 'ask', id, ask, service, args }); // the arguments as they are now
    const bytes = frame.length;
    return new Promise((resolve, reject) => {
      const begin = (): void =>
        void this.answerTo(ask, frame)
          .then(resolve, reject)
          .finally(() => this.line.end(bytes));
      this.line.add({ bytes, begin });
    });
  }

  /** Asks the worker at once, however much is under way. */
  async askNow(id: number, service: string, args: readonly unknown[]): Promise<unknown> {
    const ask = ++this.lastAsk;
    return this.answerTo(ask, frameOf({ type: 'ask', id, ask, service, args }));
  }

  /** Forgets what the last call has not asked for before it has ended. Nobody would serve it. */
  endCall(): void {
    this.line.forget();
  }

  private answerTo(ask: number, frame: Buffer): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.asked.set(ask, { resolve, reject });
      this.channel.sendFrame(frame);
    });
  }

  private settle({ ask, value, error }: Extract<ToHost, { type: 'answer' }>): void {
    const waiting = this.asked.get(ask);
    this.asked.delete(ask);
    if (error) waiting?.reject(errorFrom(error));
    else waiting?.resolve(value ?? undefined);
  }
}

const errorFrom = ({ message, code }: SentError): Error => Object.assign(new Error(message), code ? { code } : {});

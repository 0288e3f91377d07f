import { Socket } from 'node:net';
import { FrameChannel } from '../process/frames';
import type { FromHost, SentError, ToHost } from '../process/messages';

const CHANNEL_FD = 3;

/** The channel of a host to its worker. Only this file of the program knows it. */
export class WorkerChannel {
  private readonly asked = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();
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

  /** Asks the worker for a service of a call. */
  ask(id: number, service: string, args: readonly unknown[]): Promise<unknown> {
    const ask = ++this.lastAsk;
    return new Promise((resolve, reject) => {
      this.asked.set(ask, { resolve, reject });
      this.send({ type: 'ask', id, ask, service, args });
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

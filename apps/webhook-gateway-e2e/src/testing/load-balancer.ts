import { EventEmitter, once } from 'node:events';
import { Agent, createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

const LOOKS_EVERY_MS = 250;
/**
 * How long a result of a health check is used. On a busy machine the next check may be late; a request then waits for
 * it.
 */
const BELIEVED_MS = 500;

/**
 * Checks which of its targets are ready, and passes each request on to one of them in turn, once, over kept
 * connections.
 */
export class LoadBalancer {
  /** The number of requests that each target was sent. */
  readonly sent = new Map<string, number>();
  private readonly agent = new Agent({ keepAlive: true });
  private readonly server = createServer((incoming, answer) => void this.pass(incoming, answer));
  private readonly looking = setInterval(() => void this.look(), LOOKS_EVERY_MS);
  private readonly looks = new EventEmitter();
  private ready: readonly string[] = [];
  private seenAt = -Infinity;
  private turn = 0;

  private constructor(private readonly targets: readonly string[]) {}

  static async start(targets: readonly string[]): Promise<LoadBalancer> {
    const balancer = new LoadBalancer(targets);
    await once(balancer.server.listen(0, '127.0.0.1'), 'listening');
    return balancer;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Resolves when the target is one of the ready ones. */
  async finds(target: string): Promise<void> {
    while (!this.ready.includes(target)) await once(this.looks, 'looked');
  }

  stop(): void {
    clearInterval(this.looking);
    this.agent.destroy();
    this.server.close();
    this.server.closeAllConnections();
  }

  private async pass(incoming: IncomingMessage, answer: ServerResponse): Promise<void> {
    while (performance.now() - this.seenAt > BELIEVED_MS) await once(this.looks, 'looked');
    const target = this.ready[this.turn++ % this.ready.length];
    if (target === undefined) return void answer.writeHead(503).end();
    this.sent.set(target, (this.sent.get(target) ?? 0) + 1);
    const { method, url, headers } = incoming;
    const passed = request(`${target}${url}`, { method, headers, agent: this.agent }, (given) => {
      answer.writeHead(given.statusCode ?? 502, { 'content-type': given.headers['content-type'] ?? 'none' });
      given.pipe(answer);
    });
    passed.once('error', () => answer.destroy());
    incoming.pipe(passed);
  }

  private async look(): Promise<void> {
    const began = performance.now();
    const seen = await Promise.all(this.targets.map(async (target) => ({ target, isReady: await isReady(target) })));
    if (began < this.seenAt) return;
    this.seenAt = began;
    this.ready = seen.filter(({ isReady: ready }) => ready).map(({ target }) => target);
    this.looks.emit('looked');
  }
}

const isReady = (target: string): Promise<boolean> =>
  fetch(`${target}/api/v1/health/ready`).then(
    ({ ok }) => ok,
    () => false,
  );

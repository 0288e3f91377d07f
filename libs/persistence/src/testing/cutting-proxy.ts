import type { Socket } from 'node:net';
import { TcpProxy } from './tcp-proxy';

/** Where a process dies: before PostgreSQL gets the last of these texts, or just after it has answered to it. */
export interface Cut {
  when: 'before' | 'after';
  /** Parts of statements that must pass in this order. */
  texts: readonly string[];
}

/**
 * A proxy to PostgreSQL that cuts all connections at one statement, and takes no further ones. For the database this is
 * as if the process that uses the proxy had been killed there.
 */
export class CuttingProxy extends TcpProxy {
  private readonly texts: string[];
  private cutsAtAnswer = false;
  isCut = false;

  constructor(
    behind: URL,
    private readonly cut: Cut,
  ) {
    super(behind);
    this.texts = [...cut.texts];
  }

  protected pass(near: Socket, far: Socket): void {
    near.on('close', () => far.destroy());
    far.on('close', () => near.destroy());
    if (this.isCut) return void near.destroy();
    near.on('data', (chunk: Buffer) => this.pathOf(chunk) === 'cut' || far.write(chunk));
    far.on('data', (chunk: Buffer) => (this.cutsAtAnswer ? this.cutAll() : near.write(chunk)));
  }

  private pathOf(chunk: Buffer): 'cut' | 'on' {
    if (this.isCut) return 'cut';
    const [next] = this.texts;
    if (next === undefined || !chunk.includes(next)) return 'on';
    this.texts.shift();
    if (this.texts.length > 0) return 'on';
    if (this.cut.when === 'before') {
      this.cutAll();
      return 'cut';
    }
    this.cutsAtAnswer = true;
    return 'on';
  }

  protected override cutAll(): void {
    this.isCut = true;
    super.cutAll();
  }
}

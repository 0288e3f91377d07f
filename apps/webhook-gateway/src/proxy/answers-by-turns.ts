// Passes the api's answers on to clients, so that they leave time for webhooks.
//
// Node reads up to 2 MB from each connection in a turn of its event loop, and accepts one connection. So many clients that
// ask for large answers at once would make turns of a few hundred milliseconds, until the buffers of the kernel are full.
//
// T1. All answers together pass on up to TURN_BYTES in a turn. The others wait, and their connections to the api are not
//     read meanwhile.
// T2. A turn that has accepted a connection passes on one piece, because more connections may wait to be accepted.
// T3. An answer that is small passes at once.
// T4. Who waits longest passes on the next piece. So an answer passes on a second one when none waits for its first.

import { pipeline, Transform, type Readable } from 'node:stream';

/** Passing these on takes 1 to 2 ms. */
const TURN_BYTES = 512 * 1024;
/** Node reads so much at once. */
const SMALL_BYTES = 64 * 1024;

interface Piece {
  bytes: number;
  pass: () => void;
}

export class AnswersByTurns {
  /** The next piece of each answer that waits. */
  private readonly waiting = new Set<Piece>();
  private left = TURN_BYTES;
  private hasAccepted = false;
  private isTurnWatched = false;

  /** `atEndOfTurn` calls the function when the loop has read what there was; a test has a loop of its own. */
  constructor(private readonly atEndOfTurn: (then: () => void) => void = setImmediate) {}

  /**
   * Returns a stream of the same bytes as the answer, which has so many. When one of the two streams ends early, so does
   * the other.
   */
  pace(answer: Readable, bytes = Infinity): Readable {
    if (bytes <= SMALL_BYTES) return answer;
    let own: Piece | undefined;
    const paced = new Transform({
      transform: (chunk: Buffer, _encoding, done) => {
        own = { bytes: chunk.length, pass: () => done(null, chunk) };
        this.add(own);
      },
    });
    pipeline(answer, paced, () => own && this.waiting.delete(own));
    return paced;
  }

  /** Must be called for each connection that the process accepts. */
  accepted(): void {
    this.hasAccepted = true;
    this.left = 0;
    this.watchTurn();
  }

  private add(piece: Piece): void {
    this.watchTurn();
    if (this.left > 0) this.pass(piece);
    else this.waiting.add(piece);
  }

  private pass(piece: Piece): void {
    this.left -= piece.bytes;
    piece.pass();
  }

  private watchTurn(): void {
    if (this.isTurnWatched) return;
    this.isTurnWatched = true;
    this.atEndOfTurn(() => this.endTurn());
  }

  private endTurn(): void {
    this.left = this.hasAccepted ? 1 : TURN_BYTES;
    this.isTurnWatched = false;
    this.hasAccepted = false;
    if (this.waiting.size > 0) this.watchTurn();
    for (const piece of this.waiting) {
      if (this.left <= 0) return;
      this.waiting.delete(piece);
      this.pass(piece);
    }
  }
}

/**
 * The memory of one QuickJS instance, and how it is reset to an earlier state.
 *
 * This build lays its memory out so: static data, then the stack, which grows down from `stackTop`, then the heap up to
 * the `sbrk` break.
 *
 * M1. After a reset every byte equals the image or is zero. Only the 8 bytes of `Math.random` differ, on purpose.
 * M2. The memory above the break was never written, so it does not have to be cleared.
 * M3. The stack pointer is the only mutable state outside the memory. The isolate checks it.
 */
import type {} from './web-assembly';
import { randomFillSync } from 'node:crypto';

const STACK_BYTES = 5 * 1024 * 1024;
/** How much stack native frames may use beyond the stack limit of QuickJS. */
const STACK_SLACK_BYTES = 128 * 1024;
const RANDOM_STATE_BYTES = 8;
const ZEROS = Buffer.alloc(64 * 1024);

export interface MemoryImage {
  readonly data: Uint8Array;
  readonly heap: Uint8Array;
  readonly heapEnd: number;
}

export interface MemoryLayout {
  /** The stack pointer while no guest code runs. */
  stackTop: number;
  stackLimitBytes: number;
  /** Address of the word in which `sbrk` keeps its break. */
  breakAddress: number;
  /** Address of the state of `Math.random`. */
  randomAddress: number;
}

export class GuestMemory {
  private readonly dataEnd: number;
  private readonly usedStackStart: number;

  constructor(
    private readonly memory: WebAssembly.Memory,
    private readonly layout: MemoryLayout,
  ) {
    this.dataEnd = layout.stackTop - STACK_BYTES;
    this.usedStackStart = layout.stackTop - layout.stackLimitBytes - STACK_SLACK_BYTES;
  }

  heapEnd(): number {
    return new DataView(this.memory.buffer).getUint32(this.layout.breakAddress, true);
  }

  /** The bytes in use. Of the stack only the part within its limit counts; the rest is never used. */
  usedBytes(): number {
    return this.heapEnd() - (this.usedStackStart - this.dataEnd);
  }

  takeImage(): MemoryImage {
    const bytes = new Uint8Array(this.memory.buffer);
    const heapEnd = this.heapEnd();
    return { data: bytes.slice(0, this.dataEnd), heap: bytes.slice(this.layout.stackTop, heapEnd), heapEnd };
  }

  reset(image: MemoryImage): void {
    const bytes = new Uint8Array(this.memory.buffer);
    const usedEnd = this.heapEnd();
    bytes.set(image.data, 0);
    bytes.fill(0, this.usedStackStart, this.layout.stackTop);
    bytes.set(image.heap, this.layout.stackTop);
    if (usedEnd > image.heapEnd) bytes.fill(0, image.heapEnd, Math.min(usedEnd, bytes.length));
    reseed(bytes, this.layout.randomAddress);
  }

  /** Whether the whole memory is as M1 says. It is true only right after a reset, and the check takes milliseconds. */
  isLike(image: MemoryImage): boolean {
    const bytes = Buffer.from(this.memory.buffer);
    const random = bytes.subarray(this.layout.randomAddress, this.layout.randomAddress + RANDOM_STATE_BYTES);
    const seed = Buffer.from(random);
    random.set(randomStateOf(image, this.layout));
    const same =
      bytes.subarray(0, this.dataEnd).equals(image.data) &&
      isZero(bytes.subarray(this.dataEnd, this.layout.stackTop)) &&
      bytes.subarray(this.layout.stackTop, image.heapEnd).equals(image.heap) &&
      isZero(bytes.subarray(image.heapEnd));
    random.set(seed);
    return same;
  }
}

/** Finds the word of the static data in which `sbrk` keeps its break: a large allocation changes it. */
export function findBreakAddress(
  memory: WebAssembly.Memory,
  stackTop: number,
  allocate: (size: number) => number,
): number {
  const size = 128 * 1024;
  const staticData = () => new Uint32Array(memory.buffer.slice(0, stackTop - STACK_BYTES));
  const before = staticData();
  const end = allocate(size) + size;
  const after = staticData();
  const moved = Array.from(after, (word, index) => ({ word, index, wordBefore: before[index] ?? 0 })).filter(
    ({ word, wordBefore }) =>
      word !== wordBefore && wordBefore > stackTop && word >= end && word <= memory.buffer.byteLength,
  );
  if (moved.length === 0) throw new Error('This build of QuickJS keeps its heap break elsewhere.');
  return 4 * moved.reduce((highest, each) => (each.word > highest.word ? each : highest)).index;
}

/** Finds the xorshift64* state of which `sample` was the last output. */
export function findRandomAddress(memory: WebAssembly.Memory, stackTop: number, sample: number): number {
  const heapStart = stackTop & ~7;
  const wanted = Buffer.from(new Float64Array([sample + 1]).buffer).readBigUInt64LE() & ((1n << 52n) - 1n);
  const index = new BigUint64Array(memory.buffer, heapStart).findIndex(
    (word) => word !== 0n && BigInt.asUintN(64, word * 0x2545f4914f6cdd1dn) >> 12n === wanted,
  );
  if (index < 0) throw new Error('This build of QuickJS keeps the state of Math.random elsewhere.');
  return heapStart + index * 8;
}

const entropy = Buffer.alloc(4096);
let entropyUsed = entropy.length;

/**
 * Gives `Math.random` a new state, so that steps do not repeat the numbers of the image. A state of zero stays zero.
 */
function reseed(bytes: Uint8Array, address: number): void {
  if (entropyUsed === entropy.length) {
    randomFillSync(entropy);
    entropyUsed = 0;
  }
  const state = entropy.subarray(entropyUsed, entropyUsed + RANDOM_STATE_BYTES);
  state.writeUInt8(state.readUInt8() | 1);
  bytes.set(state, address);
  entropyUsed += RANDOM_STATE_BYTES;
}

function randomStateOf(image: MemoryImage, layout: MemoryLayout): Uint8Array {
  const at = layout.randomAddress - layout.stackTop;
  return image.heap.subarray(at, at + RANDOM_STATE_BYTES);
}

function isZero(bytes: Buffer): boolean {
  for (let at = 0; at < bytes.length; at += ZEROS.length) {
    const chunk = bytes.subarray(at, at + ZEROS.length);
    if (!chunk.equals(chunk.length === ZEROS.length ? ZEROS : ZEROS.subarray(0, chunk.length))) return false;
  }
  return true;
}

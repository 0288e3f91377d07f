import type {} from './web-assembly';
import type { QuickJSContext, QuickJSHandle, QuickJSWASMModule } from 'quickjs-emscripten';

/** The raw calls that the string functions of quickjs-emscripten use. */
interface RawCalls {
  QTS_NewString(context: number, utf8: number): number;
  QTS_GetString(context: number, value: number): number;
  QTS_FreeCString(context: number, utf8: number): void;
}

interface ContextInternals {
  ctx: { value: number };
  memory: { heapValueHandle(pointer: number): QuickJSHandle };
}

interface ModuleInternals {
  module: { _malloc(size: number): number; _free(pointer: number): void };
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/**
 * Copies text into the guest and out of it. The library's own functions encode character by character and decode a text
 * of any length. These encode at native speed and check the length before they copy anything out.
 */
export class GuestStrings {
  private readonly raw: RawCalls;
  private readonly module: ModuleInternals['module'];
  private readonly internals: ContextInternals;

  constructor(
    module: QuickJSWASMModule,
    context: QuickJSContext,
    private readonly memory: WebAssembly.Memory,
  ) {
    this.raw = module.getFFI();
    this.module = (module as unknown as ModuleInternals).module;
    this.internals = context as unknown as ContextInternals;
  }

  put(text: string): QuickJSHandle {
    const most = text.length * 3 + 1;
    const at = this.allocate(most);
    const { written } = encoder.encodeInto(text, new Uint8Array(this.memory.buffer, at, most - 1));
    new Uint8Array(this.memory.buffer)[at + written] = 0;
    const pointer = this.raw.QTS_NewString(this.internals.ctx.value, at);
    this.module._free(at);
    return this.internals.memory.heapValueHandle(pointer);
  }

  /**
   * Reads a text of the guest. Undefined when it is longer than `mostBytes`; throws when the guest has no memory left.
   */
  take(handle: QuickJSHandle, mostBytes: number): string | undefined {
    const at = this.raw.QTS_GetString(this.internals.ctx.value, handle.value);
    if (at === 0) throw new Error('The guest has no memory left for its output.');
    const bytes = Buffer.from(this.memory.buffer, at);
    const end = bytes.indexOf(0);
    const text = end > mostBytes ? undefined : decoder.decode(bytes.subarray(0, end));
    this.raw.QTS_FreeCString(this.internals.ctx.value, at);
    return text;
  }

  /** Allocates `size` bytes and frees them, so that the heap grows by about as much. Returns their address. */
  touchHeap(size: number): number {
    const at = this.allocate(size);
    this.module._free(at);
    return at;
  }

  private allocate(size: number): number {
    const at = this.module._malloc(size);
    if (at === 0) throw new Error('The guest has no memory left for its input.');
    return at;
  }
}

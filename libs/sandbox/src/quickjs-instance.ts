import { newQuickJSWASMModuleFromVariant, newVariant, RELEASE_SYNC, type QuickJSWASMModule } from 'quickjs-emscripten';
import type {} from './web-assembly';

const PAGES_PER_MB = 16;
/** This build of QuickJS starts with 16 MB. Pages that are never touched cost nothing. */
const FIRST_PAGES = 256;
/** The pinned build exports `emscripten_stack_get_current` under this name. */
const STACK_POINTER_EXPORT = 'Oa';

export interface QuickJsInstance {
  module: QuickJSWASMModule;
  memory: WebAssembly.Memory;
  stackPointer: () => number;
}

/**
 * Makes a QuickJS with a memory of its own that cannot grow past `memoryMb`. The memory limit that QuickJS offers does
 * not hold; this one does. The guest sees an ordinary out-of-memory error.
 */
export async function instantiateQuickJs(wasm: WebAssembly.Module, memoryMb: number): Promise<QuickJsInstance> {
  const memory = new WebAssembly.Memory({ initial: FIRST_PAGES, maximum: memoryMb * PAGES_PER_MB });
  let exports: WebAssembly.Exports | undefined;
  const instantiateWasm = (imports: WebAssembly.Imports, done: (instance: WebAssembly.Instance) => void) => {
    const instance = new WebAssembly.Instance(wasm, imports);
    exports = instance.exports;
    done(instance);
    return instance.exports;
  };
  const silent = () => undefined;
  const variant = newVariant(RELEASE_SYNC, {
    wasmMemory: memory,
    emscriptenModule: { instantiateWasm, print: silent, printErr: silent } as object,
  });
  const module = await newQuickJSWASMModuleFromVariant(variant);
  const stackPointer = exports?.[STACK_POINTER_EXPORT];
  if (typeof stackPointer !== 'function') throw new Error('This build of QuickJS does not tell its stack pointer.');
  return { module, memory, stackPointer: stackPointer as () => number };
}

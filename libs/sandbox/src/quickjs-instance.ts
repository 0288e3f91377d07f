import { newQuickJSWASMModuleFromVariant, newVariant, RELEASE_SYNC, type QuickJSWASMModule } from 'quickjs-emscripten';
import type {} from './web-assembly';

const PAGES_PER_MB = 16;
/** What this build of QuickJS starts with: 16 MB, of which only touched pages cost anything. */
const FIRST_PAGES = 256;
/** `emscripten_stack_get_current` under the name the pinned build gives it. */
const STACK_POINTER_EXPORT = 'Oa';

export interface QuickJsInstance {
  module: QuickJSWASMModule;
  memory: WebAssembly.Memory;
  stackPointer: () => number;
}

/**
 * QuickJS in a memory of its own that cannot grow past `memoryMb`. QuickJS's own memory limit is no bound; this one is,
 * and shows in the guest as an ordinary out-of-memory error.
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

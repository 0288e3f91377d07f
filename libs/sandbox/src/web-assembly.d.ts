/** The types of WebAssembly that the sandbox uses. TypeScript has them only among the types of the browser. */
declare global {
  namespace WebAssembly {
    type Exports = Record<string, unknown>;
    type Imports = Record<string, Record<string, unknown>>;

    class Memory {
      constructor(size: { initial: number; maximum: number });
      readonly buffer: ArrayBuffer;
      grow(pages: number): number;
    }

    class Instance {
      constructor(module: Module, imports: Imports);
      readonly exports: Exports;
    }

    function compile(bytes: Uint8Array): Promise<Module>;
  }
}

export {};

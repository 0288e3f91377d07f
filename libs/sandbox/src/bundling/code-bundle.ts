export interface CodeSource {
  /** TypeScript or JavaScript that exports a function named `code`. */
  code: string;
  /** The text of a package.json, whose `dependencies` alone are read. An empty text means no dependencies. */
  packageJson: string;
}

/** A bundled source, ready for a `SandboxTask`. `sourceMap` leads back to the author's lines. */
export interface CodeBundle {
  script: string;
  scriptHash: string;
  sourceMap: string;
}

/** Why a source cannot be run, in one sentence. `line` and `column` count from 1 and are absent when unknown. */
export interface BundleProblem {
  problem: string;
  line?: number;
  column?: number;
}

export function isProblem(result: object | string | undefined): result is BundleProblem {
  return typeof result === 'object' && 'problem' in result && typeof result.problem === 'string';
}

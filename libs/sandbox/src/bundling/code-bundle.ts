export interface CodeSource {
  /** TypeScript or JavaScript that exports a function named `code`. */
  code: string;
  /** Text of a package.json; only its dependencies count. Empty for none. */
  packageJson: string;
}

/** A source ready for `SandboxTask`: `script`, its `scriptHash`, and the map back to the author's lines. */
export interface CodeBundle {
  script: string;
  scriptHash: string;
  sourceMap: string;
}

/** Why a source cannot be run, in one sentence, and where when that is known (counted from 1). */
export interface BundleProblem {
  problem: string;
  line?: number;
  column?: number;
}

export function isProblem(result: object | string | undefined): result is BundleProblem {
  return typeof result === 'object' && 'problem' in result && typeof result.problem === 'string';
}

export { bundleCode, isProblem, type BundleProblem, type CodeBundle, type CodeSource } from './bundle-code';
export { hasDependencies } from './install-packages';
export { DEFAULT_LIMITS, type SandboxLimits } from './limits';
export { Sandbox, type SandboxOptions, type SandboxStats } from './sandbox';
export { sandboxEnv } from './sandbox.env';
export { type SandboxFailure, type SandboxFailureKind, type SandboxOutcome } from './sandbox-failure';
export { type RunIdentity, type SandboxTask } from './sandbox-task';

export { isProblem, type BundleProblem, type CodeBundle, type CodeSource } from './bundling/code-bundle';
export { CodeBundler, type CodeBundlerOptions } from './bundling/code-bundler';
export { hasDependencies } from './bundling/dependencies';
export { InstallationsBusyError } from './bundling/package-installer';
export { DEFAULT_LIMITS, type SandboxLimits } from './limits';
export { Sandbox, type SandboxOptions, type SandboxStats } from './sandbox';
export { sandboxEnv } from './sandbox.env';
export { type SandboxFailure, type SandboxFailureKind, type SandboxOutcome } from './sandbox-failure';
export { type RunIdentity, type SandboxTask } from './sandbox-task';

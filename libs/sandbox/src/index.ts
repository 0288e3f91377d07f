export { isProblem, type BundleProblem, type CodeBundle, type CodeSource } from './bundling/code-bundle';
export { CodeBundler } from './bundling/code-bundler';
export { hasDependencies } from './bundling/dependencies';
export { InstallationsBusyError } from './bundling/package-installer';
export { Sandbox } from './sandbox';
export { sandboxEnv } from './sandbox.env';
export type { SandboxFailure, SandboxOutcome } from './sandbox-failure';
export type { SandboxTask } from './sandbox-task';

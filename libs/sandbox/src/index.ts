export { isProblem, type BundleProblem, type CodeBundle, type CodeSource } from './bundling/code-bundle';
export { CodeBundler } from './bundling/code-bundler';
export { hasDependencies } from './bundling/dependencies';
export { PackageArchives, type PackageArchivesOptions, type PackageVersion } from './bundling/package-archives';
export { PackageFetchError } from './bundling/package-fetch-error';
export { InstallationsBusyError } from './bundling/package-installer';
export { Sandbox, type SandboxStats, type ThreadLoss } from './sandbox';
export type { SandboxFailure, SandboxOutcome } from './sandbox-failure';
export type { SandboxTask } from './sandbox-task';

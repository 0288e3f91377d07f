/**
 * The most memory of each process that a build starts, in MB. All three may be at work at once beside their service, so
 * the limit of a container has room for their sum.
 */
export const BUILD_MEMORY_MB = { bundle: 512, bundleWithPackages: 768, install: 1_024 };

/** A process that installs a package which the registry never answers about, for tests that kill it. */
import { PackageInstaller, type PackageInstallerOptions } from '../bundling/package-installer';

const installer = new PackageInstaller(JSON.parse(process.argv[2] ?? '{}') as PackageInstallerOptions);
void installer.folderOf(new Map([['held-for-ever', '1.0.0']]));

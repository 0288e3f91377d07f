import { CallTokens, PiecePackages } from '@millrace/domain';
import { AddressGuard } from '@millrace/http';
import { PackageStore } from '@millrace/piece-hosts';
import { InstalledPieces, PackageCalls } from '@millrace/pieces';
import { PackageArchives } from '@millrace/sandbox';
import type { Provider } from '@nestjs/common';
import type { WorkerConfig } from '../settings/config';
import { ApiReads } from './api-reads';
import { FlowStarts } from './flow-starts';
import { InnerApi } from './inner-api';
import { PackageFolders } from './package-folders';
import { PackageForms } from './package-forms';
import { PackageHosts } from './package-hosts';
import { PackageInstaller } from './package-installer';
import { PieceAnswers } from './piece-answers';
import { InstallationKeys, StoredArchives } from '@millrace/persistence';
import { WorkerPackageCalls } from './worker-package-calls';

/** What a worker needs to install and run packages of pieces. */
export const packages = (config: WorkerConfig): Provider[] => [
  {
    provide: PackageHosts,
    inject: [AddressGuard],
    useFactory: (guard: AddressGuard) => PackageHosts.start(config, guard),
  },
  { provide: PackageFolders, useFactory: () => PackageFolders.start(config) },
  {
    provide: PackageStore,
    inject: [PackageFolders],
    useFactory: ({ cache }: PackageFolders) => new PackageStore(cache),
  },
  {
    provide: PackageForms,
    inject: [PackageStore, PackageFolders],
    useFactory: (store: PackageStore, { builder }: PackageFolders) => new PackageForms(store, builder),
  },
  { provide: PackageArchives, useFactory: () => new PackageArchives() },
  StoredArchives,
  PackageInstaller,
  PieceAnswers,
  {
    provide: CallTokens,
    inject: [InstallationKeys],
    useFactory: (keys: InstallationKeys) => new CallTokens(keys.callTokens),
  },
  ApiReads,
  FlowStarts,
  InnerApi,
  { provide: PackageCalls, useClass: WorkerPackageCalls },
  {
    provide: InstalledPieces,
    inject: [PiecePackages, PackageCalls],
    useFactory: (found: PiecePackages, calls: PackageCalls) => new InstalledPieces(found, calls),
  },
];

import type { MaintenanceJobOf } from '@millrace/domain';
import { Injectable } from '@nestjs/common';
import { PackageInstaller } from '../packages/package-installer';
import { MaintenanceProcessor } from './maintenance-processor';

/** Installs a package of a piece. */
@Injectable()
export class PieceInstallationProcessor extends MaintenanceProcessor<'PieceInstallationJob'> {
  readonly kind = 'PieceInstallationJob';

  constructor(private readonly installer: PackageInstaller) {
    super();
  }

  override process({ rowId, epoch }: MaintenanceJobOf<'PieceInstallationJob'>, signal: AbortSignal): Promise<void> {
    return this.installer.install(rowId, epoch, signal);
  }
}

import { PiecePackages, type PiecePackage, type PieceRef } from '@millrace/domain';
import { Inject, Injectable } from '@nestjs/common';
import { API_SETTINGS, type ApiSettings } from '../settings/config';

type PackageSettings = Pick<ApiSettings, 'SVC_PIECE_PACKAGES'>;

/** Whether flows may use an installed package, as far as it depends on who has installed it. */
export const mayBeUsed = ({ installedByAdmin }: Pick<PiecePackage, 'installedByAdmin'>, settings: PackageSettings) =>
  settings.SVC_PIECE_PACKAGES !== 'admin' || installedByAdmin;

/** The installed packages that flows may use: all, or where the settings say so those that an administrator installed. */
@Injectable()
export class UsablePackages implements Pick<PiecePackages, 'find' | 'list'> {
  constructor(
    private readonly packages: PiecePackages,
    @Inject(API_SETTINGS) private readonly settings: PackageSettings,
  ) {}

  async find(refs: readonly PieceRef[]): Promise<PiecePackage[]> {
    return (await this.packages.find(refs)).filter((found) => mayBeUsed(found, this.settings));
  }

  async list(): Promise<Omit<PiecePackage, 'description'>[]> {
    return (await this.packages.list()).filter((found) => mayBeUsed(found, this.settings));
  }
}

import { MaintenanceQueue, PieceInstallationsDue, PiecePackages, type Duty } from '@millrace/domain';
import { Injectable } from '@nestjs/common';

/** The duties that look after the packages of pieces. */
@Injectable()
export class PieceDuties {
  readonly all: readonly Duty[];

  constructor(packages: PiecePackages, queue: MaintenanceQueue) {
    this.all = [new PieceInstallationsDue(packages, queue)];
  }
}

import { MaintenanceQueue, PieceInstallationsDue, PiecePackages, type Duty } from '@millrace/domain';
import { Inject, Injectable } from '@nestjs/common';
import { Pool } from 'pg';
import { BACKGROUND_POOL } from '../postgres/pool-share';
import { PieceQuestionPruning } from './piece-question-pruning';

/** The duties that look after the packages of pieces. */
@Injectable()
export class PieceDuties {
  readonly all: readonly Duty[];

  constructor(packages: PiecePackages, queue: MaintenanceQueue, @Inject(BACKGROUND_POOL) pool: Pool) {
    this.all = [new PieceInstallationsDue(packages, queue), new PieceQuestionPruning(pool)];
  }
}

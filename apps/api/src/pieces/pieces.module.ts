import { PieceQuestionsModule } from '@millrace/persistence';
import { StoredArchives } from '@millrace/persistence';
import { Global, Module } from '@nestjs/common';
import { ConnectionValidation } from './connection-validation';
import { PackageQuestions } from './package-questions';
import { PieceInstallations } from './piece-installations';
import { PiecePackagesController } from './piece-packages.controller';
import { PiecePackagesService } from './piece-packages.service';
import { PiecesController } from './pieces.controller';
import { PiecesInFlows } from './pieces-in-flows';
import { PieceSignIns } from './piece-sign-ins';
import { PiecesService } from './pieces.service';

/** It is global, because whatever checks a flow must know the pieces that the flow names. */
@Global()
@Module({
  imports: [PieceQuestionsModule],
  controllers: [PiecePackagesController, PiecesController],
  providers: [
    PiecesService,
    PiecePackagesService,
    StoredArchives,
    PieceInstallations,
    PiecesInFlows,
    PackageQuestions,
    ConnectionValidation,
    PieceSignIns,
  ],
  exports: [ConnectionValidation, PackageQuestions, PiecesService, PieceSignIns, PiecesInFlows],
})
export class PiecesModule {}

import { Global, Module } from '@nestjs/common';
import { PieceInstallations } from './piece-installations';
import { PiecePackagesController } from './piece-packages.controller';
import { PiecePackagesService } from './piece-packages.service';
import { PiecesController } from './pieces.controller';
import { PiecesInFlows } from './pieces-in-flows';
import { PiecesService } from './pieces.service';

/** It is global, because whatever checks a flow must know the pieces that the flow names. */
@Global()
@Module({
  controllers: [PiecePackagesController, PiecesController],
  providers: [PiecesService, PiecePackagesService, PieceInstallations, PiecesInFlows],
  exports: [PiecesInFlows],
})
export class PiecesModule {}

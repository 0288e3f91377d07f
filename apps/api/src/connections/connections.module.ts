import { FreshConnectionsModule, ConnectionValuesModule } from '@millrace/persistence';
import { Module } from '@nestjs/common';
import { ConnectionTest } from './connection-test';
import { ConnectionsController } from './connections.controller';
import { ConnectionsService } from './connections.service';
import { OAuth2Connections } from './oauth2-connections';

@Module({
  imports: [ConnectionValuesModule, FreshConnectionsModule],
  controllers: [ConnectionsController],
  providers: [ConnectionsService, ConnectionTest, OAuth2Connections],
})
export class ConnectionsModule {}

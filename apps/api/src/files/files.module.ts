import { FileLinks } from '@millrace/domain';
import { publicUrl } from '@millrace/http';
import { InstallationKeys } from '@millrace/persistence';
import { Module } from '@nestjs/common';
import { API_SETTINGS, type ApiSettings } from '../settings/config';
import { FilesController } from './files.controller';
import { FilesService } from './files.service';
import { LinkOrCredentials } from './link-or-credentials.guard';

@Module({
  controllers: [FilesController],
  providers: [
    FilesService,
    LinkOrCredentials,
    {
      provide: FileLinks,
      inject: [API_SETTINGS, InstallationKeys],
      useFactory: (settings: ApiSettings, keys: InstallationKeys) => new FileLinks(publicUrl(settings), keys.fileLinks),
    },
  ],
  exports: [FileLinks],
})
export class FilesModule {}

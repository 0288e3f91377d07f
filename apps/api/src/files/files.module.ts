import { FileLinks } from '@millrace/domain';
import { publicUrl } from '@millrace/http';
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
      inject: [API_SETTINGS],
      useFactory: (settings: ApiSettings) => new FileLinks(publicUrl(settings), settings.SVC_ENCRYPTION_KEY),
    },
  ],
  exports: [FileLinks],
})
export class FilesModule {}

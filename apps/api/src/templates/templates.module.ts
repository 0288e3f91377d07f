import { Module } from '@nestjs/common';
import { FlowsModule } from '../flows/flows.module';
import { TemplatesController } from './templates.controller';
import { TemplatesService } from './templates.service';

@Module({ imports: [FlowsModule], controllers: [TemplatesController], providers: [TemplatesService] })
export class TemplatesModule {}

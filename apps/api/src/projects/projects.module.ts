import { Module } from '@nestjs/common';
import { FlowsModule } from '../flows/flows.module';
import { ProjectDeletion } from './project-deletion';
import { ProjectsController } from './projects.controller';
import { ProjectsService } from './projects.service';

@Module({ imports: [FlowsModule], controllers: [ProjectsController], providers: [ProjectsService, ProjectDeletion] })
export class ProjectsModule {}

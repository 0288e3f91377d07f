import { Module } from '@nestjs/common';
import { FormsController } from './forms.controller';
import { FormsService } from './forms.service';

/** The forms that start runs. */
@Module({ controllers: [FormsController], providers: [FormsService] })
export class FormsModule {}

import { Module } from '@nestjs/common';
import { APP_INTERCEPTOR } from '@nestjs/core';
import { AuditActorInterceptor } from './audit-actor.interceptor';
import { AuditEventsController } from './audit-events.controller';

@Module({
  controllers: [AuditEventsController],
  providers: [{ provide: APP_INTERCEPTOR, useClass: AuditActorInterceptor }],
})
export class AuditModule {}

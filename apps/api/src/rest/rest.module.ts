import { RequestValidationPipe, UnreadInputInterceptor } from '@millrace/http';
import { Module } from '@nestjs/common';
import { APP_INTERCEPTOR, APP_PIPE } from '@nestjs/core';

/** Refuses what a route does not know: its pipe in what the route reads, its interceptor in what the route ignores. */
@Module({
  providers: [
    { provide: APP_PIPE, useClass: RequestValidationPipe },
    { provide: APP_INTERCEPTOR, useClass: UnreadInputInterceptor },
  ],
})
export class RestModule {}

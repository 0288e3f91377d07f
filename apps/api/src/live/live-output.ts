import { Injectable } from '@nestjs/common';
import type { LiveSocketServer, ServerMessages } from './live-messages';

/** Sends messages to the clients in a room of this process. */
@Injectable()
export class LiveOutput {
  private server: LiveSocketServer | null = null;

  open(server: LiveSocketServer): void {
    this.server = server;
  }

  send<Name extends keyof ServerMessages>(
    room: string,
    name: Name,
    ...message: Parameters<ServerMessages[Name]>
  ): void {
    this.server?.to(room).emit(name, ...message);
  }
}

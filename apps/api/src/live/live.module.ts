import { Module } from '@nestjs/common';
import { LiveAccess } from './live-access';
import { LiveConnections } from './live-connections';
import { LiveOutput } from './live-output';
import { LiveServer } from './live-server';
import { ProjectRooms } from './project-rooms';
import { QueueRoom } from './queue-room';
import { RunRooms } from './run-rooms';
import { Subscriptions } from './subscriptions';

/** Live updates for clients that watch runs, projects and the queue. */
@Module({
  providers: [LiveAccess, LiveConnections, LiveOutput, LiveServer, ProjectRooms, QueueRoom, RunRooms, Subscriptions],
})
export class LiveModule {}

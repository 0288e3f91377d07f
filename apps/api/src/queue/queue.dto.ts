/** How many jobs of the queue of runs are in each state. */
export class QueueCountsDto {
  /** Those with a priority are included. */
  waiting: number;
  active: number;
  completed: number;
  failed: number;
  delayed: number;
  /** The waiting jobs, while the queue is paused. */
  paused: number;
}

export class RetriedJobDto {
  id: string;
  state: 'waiting';
}

import type { FairSlots, RunRoom } from '@millrace/domain';

/** Returns the room for runs in the given slots. */
export const roomIn = (slots: FairSlots): RunRoom => ({
  get freeSlots() {
    return slots.free;
  },
  get notBegun() {
    return slots.waiting;
  },
  hasTurnFor: (projectId) => slots.hasTurnFor(projectId),
  onMoreRoom: (listener) => slots.onMoreRoom(listener),
});

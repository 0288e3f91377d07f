import type { FairSlots, RunRoom } from '@millrace/domain';

/** The room that there is in slots. */
export const roomIn = (slots: FairSlots): RunRoom => ({
  get freeSlots() {
    return slots.free;
  },
  get notBegun() {
    return slots.waiting;
  },
  hasTurnFor: (projectId) => slots.hasTurnFor(projectId),
  onFree: (listener) => slots.onFree(listener),
});

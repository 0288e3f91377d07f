import { HandDrivenClock, HELD, sharedBy } from '@millrace/domain/testing';
import type { Pool } from 'pg';
import { deleteOldDeliveries, deleteSurplusDeliveries } from '../event-destinations/event-retention';
import { EventRetention } from './event-retention';

jest.mock('../event-destinations/event-retention', () => ({
  EVENTS_DELETED_AT_ONCE: 2,
  disableFloodedDestinations: jest.fn(() => Promise.resolve([])),
  deleteSurplusDeliveries: jest.fn(() => Promise.resolve(0)),
  deleteOldDeliveries: jest.fn(() => Promise.resolve(0)),
}));

describe('EventRetention', () => {
  it('tells how much it deleted, over all pages, and nothing of a turn without work', async () => {
    const clock = new HandDrivenClock();
    jest.mocked(deleteSurplusDeliveries).mockResolvedValueOnce(2).mockResolvedValueOnce(1);
    jest.mocked(deleteOldDeliveries).mockResolvedValueOnce(1);
    const retention = new EventRetention({} as Pool, clock, sharedBy(clock));

    expect(await retention.perform(HELD)).toBe(
      '3 event deliveries that are more than a log holds, and 1 old ones, were deleted.',
    );
    expect(await retention.perform(HELD)).toBeUndefined();
  });
});

import { ServiceUnavailableError } from '@millrace/domain';
import { BodyBudget, SMALL_BODY_BYTES } from './body-budget';

const MB = 1024 * 1024;

describe('BodyBudget', () => {
  it('refuses bytes over it, and has them again when they are given back', () => {
    const budget = new BodyBudget(10 * MB);
    const first = budget.lease();
    first.growTo(8 * MB);
    expect(() => budget.lease().growTo(3 * MB)).toThrow(ServiceUnavailableError);

    first.release();
    budget.lease().growTo(10 * MB);
  });

  it('has room for small bodies beside large ones', () => {
    const budget = new BodyBudget(MB);
    budget.lease().growTo(MB);
    for (let n = 0; n < 200; n++) budget.lease().growTo(SMALL_BODY_BYTES);
  });

  it('bounds small bodies too', () => {
    const budget = new BodyBudget(MB);
    const takeMany = () => {
      for (let n = 0; n < 300; n++) budget.lease().growTo(SMALL_BODY_BYTES);
    };
    expect(takeMany).toThrow(ServiceUnavailableError);
  });

  it('lets one of many half-read bodies of unknown length come to its end', () => {
    const budget = new BodyBudget(4 * MB);
    const leases = Array.from({ length: 4 }, () => budget.lease());
    const read = new Set(leases);
    for (let bytes = 32 * 1024; bytes <= 4 * MB; bytes += 32 * 1024)
      for (const lease of read)
        try {
          lease.growTo(bytes);
        } catch {
          lease.release();
          read.delete(lease);
        }
    expect(read.size).toBe(1);
  });

  it('gives the reserve back when a body turns out large', () => {
    const budget = new BodyBudget(MB);
    for (let n = 0; n < 300; n++) {
      const lease = budget.lease();
      lease.growTo(SMALL_BODY_BYTES);
      lease.growTo(SMALL_BODY_BYTES + 1);
      lease.release();
      lease.release();
    }
  });
});

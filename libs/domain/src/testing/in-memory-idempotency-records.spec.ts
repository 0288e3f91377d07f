import { describeIdempotencyRecords } from './idempotency-records.contract';
import { InMemoryIdempotencyRecords } from './in-memory-idempotency-records';

const records = new InMemoryIdempotencyRecords();

describeIdempotencyRecords('InMemoryIdempotencyRecords', () => records);

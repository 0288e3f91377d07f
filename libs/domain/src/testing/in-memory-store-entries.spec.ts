import { InMemoryStoreEntries } from './in-memory-store-entries';
import { describeStoreEntries } from './store-entries.contract';

const entries = new InMemoryStoreEntries();

describeStoreEntries('InMemoryStoreEntries', () => ({ entries, aProjectId: async () => crypto.randomUUID() }));

import { describeFileStore } from './file-store.contract';
import { InMemoryFileStore } from './in-memory-file-store';

const store = new InMemoryFileStore();

describeFileStore('InMemoryFileStore', () => store);

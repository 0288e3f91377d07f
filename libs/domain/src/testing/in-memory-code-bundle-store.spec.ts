import { describeCodeBundleStore } from './code-bundle-store.contract';
import { InMemoryCodeBundleStore } from './in-memory-code-bundle-store';

const store = new InMemoryCodeBundleStore();

describeCodeBundleStore('InMemoryCodeBundleStore', () => store);

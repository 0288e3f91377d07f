export { bundleCode } from './bundle-code';
export { compileThread } from './compile-thread';

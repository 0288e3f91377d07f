export { compileThread } from './compile-thread';

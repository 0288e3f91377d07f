export { aManifest, anArchive, type Entry } from './an-archive';
export { compileProgram } from './compile-program';

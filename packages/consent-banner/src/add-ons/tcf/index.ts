export type { TcfOptions } from './settings.ts';
export { startTcf } from './start-tcf.ts';

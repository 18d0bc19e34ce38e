/**
 * Imported before a test run (`node --import ./tools/test/compile-cache.ts …`): many processes load the same modules, and
 * what one compiles, the next ones find. Processes that the tests start inherit the setting.
 */
import { enableCompileCache } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

process.env.NODE_COMPILE_CACHE ??= join(tmpdir(), 'node-compile-cache');
enableCompileCache(process.env.NODE_COMPILE_CACHE);

// npm start: the server with its demo tenant. `svc serve` starts it without.
import { keepCompiled } from './compile-cache.ts';

keepCompiled();
const { runCommand } = await import('./cli/run-command.ts');
process.exitCode = await runCommand(['demo']);

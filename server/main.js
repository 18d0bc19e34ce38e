// npm start: the server with its demo tenant. `svc serve` starts it without.
import './compile-cache.js';

const { runCommand } = await import('./cli/run-command.ts');
process.exitCode = await runCommand(['demo']);

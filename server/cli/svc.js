#!/usr/bin/env node
import '../process/compile-cache.js';

const { runCommand } = await import('./run-command.ts');
process.exitCode = await runCommand(process.argv.slice(2));

#!/usr/bin/env node
import '../compile-cache.js';

const { runCommand } = await import('./run-command.ts');
process.exitCode = await runCommand(process.argv.slice(2));

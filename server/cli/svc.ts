#!/usr/bin/env node
import { keepCompiled } from '../compile-cache.ts';

keepCompiled();
const { runCommand } = await import('./run-command.ts');
process.exitCode = await runCommand(process.argv.slice(2));

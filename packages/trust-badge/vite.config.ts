import { defineConfig } from 'vite';
import { compileHint, defineScript, minifyAgain, writeIntegrity } from '../../tools/widgets/define-script.ts';
import manifest from './package.json' with { type: 'json' };

export default defineConfig(
  defineScript(
    'src/script.ts',
    'svc-trust-badge',
    minifyAgain(compileHint),
    writeIntegrity(manifest.version, 'svc-trust-badge'),
  ),
);

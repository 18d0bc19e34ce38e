import { defineConfig } from 'vite';
import { defineScript, writeIntegrity } from '../../tools/widgets/define-script.ts';
import manifest from './package.json' with { type: 'json' };

export default defineConfig(
  defineScript('src/script.ts', 'svc-trust-badge', writeIntegrity(manifest.version, 'svc-trust-badge')),
);

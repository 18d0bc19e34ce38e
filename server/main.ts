// npm start: the server with its demo tenant. `svc serve` starts it without.
import { keepCompiled } from './compile-cache.ts';

keepCompiled();
const { runServer } = await import('./cli/run-server.ts');
const { readSettings, SettingsError } = await import('./settings.ts');

try {
  process.exitCode = await runServer(
    { settings: readSettings(process.env), say: console.log, result: () => undefined },
    true,
  );
} catch (error) {
  if (!(error instanceof SettingsError)) throw error;
  console.error(error.message);
  process.exitCode = 2;
}

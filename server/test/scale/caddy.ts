import { type RunningProxy, startProxy } from '../../../tools/test/proxies.ts';
import { host, readRecipe, replace } from '../proxies/recipe.ts';

/**
 * Starts Caddy in front of several servers, with the configuration in the documentation, but for plain http.
 * @param program its path.
 * @param ports of the servers on this machine.
 */
export function startCaddy(program: string, ports: readonly number[]): Promise<RunningProxy> {
  return startProxy(
    program,
    (_folder, port) => {
      let site = readRecipe('/etc/caddy/Caddyfile, several servers');
      site = replace(site, '10.0.0.11:8787 10.0.0.12:8787', ports.map((one) => `127.0.0.1:${one}`).join(' '));
      site = replace(site, `${host} {`, `http://127.0.0.1:${port} {\n\tbind 127.0.0.1`);
      return { Caddyfile: `{\n\tadmin off\n}\n${site}` };
    },
    (folder) => ['run', '--config', `${folder}/Caddyfile`, '--adapter', 'caddyfile'],
  );
}

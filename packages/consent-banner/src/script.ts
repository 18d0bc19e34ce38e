// Stage one, the entry of the script tag. It defines only the global `SvcConsent`.
import { currentScript } from './stub/current-script.ts';
import { type MountByScript, scriptLoader } from './stub/load-script.ts';
import { registerSvcConsent } from './stub/register.ts';

/** Set by the build. */
declare const SVC_INTERFACE_INTEGRITY: string;

const script = currentScript();
const load = scriptLoader(script);

registerSvcConsent({
  script,
  source: script?.src ?? '',
  loadInterface: () =>
    load<MountByScript>('ui', SVC_INTERFACE_INTEGRITY).then((mount) => (actions) => mount(actions, load)),
});

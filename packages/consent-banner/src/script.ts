// Stage one, the entry of the script tag. It leaves no name behind but `SvcConsent`.
import { currentScript } from './stub/current-script.ts';
import { scriptLoader } from './stub/load-interface.ts';
import { registerSvcConsent } from './stub/register.ts';

/** Set by the build. */
declare const SVC_INTERFACE_INTEGRITY: string;

const script = currentScript();

registerSvcConsent({ script, source: script?.src ?? '', loadInterface: scriptLoader(script, SVC_INTERFACE_INTEGRITY) });

// Stage three, which stage two loads by its hash. What it shares with stage two hangs on its tag.
import { mountPanel } from './mount-panel.ts';
import { currentScript } from './stub/current-script.ts';

currentScript()?.dispatchEvent(new CustomEvent('svc-consent', { detail: mountPanel }));

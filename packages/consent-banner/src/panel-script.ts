// Stage three, which stage two loads by its hash. What it shares with stage two hangs on its tag.
import { mountPanel } from './mount-panel.ts';
import { currentScript } from './stub/current-script.ts';
import type { LoadedScript } from './stub/load-script.ts';

// By a tag that is not stage two's it does nothing.
(currentScript() as Partial<LoadedScript> | null)?.done?.(mountPanel);

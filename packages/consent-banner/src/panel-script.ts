// Stage three, which stage two loads by its hash. Stage two passes shared modules on its tag.
import { mountPanel } from './mount-panel.ts';
import { currentScript } from './stub/current-script.ts';
import type { LoadedScript } from './stub/load-script.ts';

// Without stage two's tag it does nothing.
(currentScript() as Partial<LoadedScript> | null)?.done?.(mountPanel);

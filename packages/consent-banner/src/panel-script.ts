// The second script, which the script of the tag loads by its hash, and passes shared modules on its tag.
import { mountFurther } from './further.ts';
import { currentScript } from './state/current-script.ts';
import type { LoadedScript } from './state/load-script.ts';

// Without that tag it does nothing.
(currentScript() as Partial<LoadedScript> | null)?.done?.(mountFurther);

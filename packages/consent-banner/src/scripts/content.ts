import { mountContent } from '../held-content/mount-content.ts';
import { handOver } from '../state/current-script.ts';

handOver(mountContent);

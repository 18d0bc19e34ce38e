import { mountContent } from '../held-content/mount-content.ts';
import { handOver } from '../page/document.ts';

handOver(mountContent);

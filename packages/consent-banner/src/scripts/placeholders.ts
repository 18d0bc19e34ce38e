import { coverFrames } from '../blocked-content/cover-frames.ts';
import { handOver } from '../page/document.ts';

handOver(coverFrames);

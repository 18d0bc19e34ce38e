import { handOver } from '../page/document.ts';
import { coverFrames } from '../panel/cover-frames.ts';

handOver(coverFrames);

import { join } from 'node:path';
import { findBuild, widgetKinds, widgetPlaces } from './catalogue.ts';
import { ReleaseError, releaseWidget } from './release.ts';

// `npm run release:widgets`: keeps the present build of every widget for good, to be committed.
for (const { name, packageName } of widgetKinds) {
  try {
    const { version, isNew } = releaseWidget(findBuild(packageName), join(widgetPlaces.releases, name));
    console.log(`${name} ${version} ${isNew ? 'is released: commit server/widgets/releases' : 'was released before'}`);
  } catch (error) {
    if (!(error instanceof ReleaseError)) throw error;
    console.error(`${name}: ${error.message}`);
    process.exitCode = 1;
  }
}

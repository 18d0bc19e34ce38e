import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { describeWidgets } from '../../../site/widgets/tags.ts';
import { findBuild, readWidgets } from '../../../site/widgets/widget.ts';
import { createPlaces, hashFile, writeBuild } from './places.ts';

describe('the add-ons of a version', () => {
  test('are those whose files it has', () => {
    using places = createPlaces();
    writeBuild(findBuild('consent-banner', places), '2.0.0', {
      'svc-consent.js': 'stub',
      'svc-consent-gpp.js': 'gpp',
      'svc-consent-panel.js': 'panel',
      'svc-consent-signals.js': 'signals',
    });
    writeBuild(join(places.releases, 'svc-consent/1.0.0'), '1.0.0', { 'svc-consent.js': 'all in one' });
    const [banner] = describeWidgets(readWidgets(places), 'https://privacy.example').widgets;
    assert.deepEqual(
      banner?.versions.map(({ version, addOns }) => [version, addOns.map(({ file }) => file)]),
      [
        ['2.0.0', ['svc-consent-gpp.js', 'svc-consent-signals.js']],
        ['1.0.0', []],
      ],
    );
    assert.equal(
      banner?.versions[0]?.addOns[1]?.tag,
      `<script src="https://privacy.example/widgets/svc-consent/2.0.0/svc-consent-signals.js" integrity="${hashFile('signals')}" crossorigin="anonymous" data-signals="statistics: matomo; marketing: meta"></script>`,
    );
  });
});

// The entry of the script tag: it registers the element and leaves no name behind but `SvcConsent`.
import './index.ts';

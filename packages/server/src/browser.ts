/**
 * Stands where a browser bundle looks for this package, and says why it must not be there.
 *
 * @module
 */
throw new Error(
  '@pi-checkout/server belongs on the server: it holds the secret API key. In the page use @pi-checkout/element, and let your server hand it { id, clientSecret } by createHandoff().',
)

import { connectableMatches } from '@x-automated/contract/outreach/extension'
import { defineConfig } from 'wxt'

/**
 * The public key that determines the extension's id (EXTENSION_ID). It signs nothing: the private
 * key was never stored.
 */
const KEY =
  'MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAt9SamkvYLCQ2in/kc9c/HMNLnpKIAu79S/vmmcvoBYIT0ggFhZBVS9w3tzIX0VwHe1Kqx8Sdo84Anb6T6WD9sU7Bh2ExM/ULBGD416gvAVneFYDuYZTpmRIUG0RtV21V0J4FZFXTTlwutgu6Z1fvMjcat9a17U7EY1f+rpbR8NmRlVXVSc32wOWk0d2ZTDeCZCXjOsq240ZNFkJVcmZ4A19aG/LCllVg9Y3DgQNdUtdrJoHgXJMT/hhj9SsIDYP9FzvnCze30QVV1TK0CsKpiDN6X8XasTqwPxJB9seei0CkarcGXhX30P+ZrlJvy2T1mHjjKly3Bo+k4qTKpwCX+QIDAQAB'

export default defineConfig({
  srcDir: 'src',
  publicDir: 'public',
  outDir: '.output',
  imports: false,
  manifest: {
    name: 'X-Automated',
    description: 'Sends the direct messages that you start in X-Automated, from your own X account, in this browser.',
    key: KEY,
    // The first version with Ed25519 in WebCrypto.
    minimum_chrome_version: '137',
    permissions: ['storage', 'alarms'],
    // Replaced with the product's own address when the product serves the extension.
    host_permissions: connectableMatches(process.env.PUBLIC_URL ?? 'http://localhost:3000'),
    externally_connectable: { matches: connectableMatches(process.env.PUBLIC_URL ?? 'http://localhost:3000') },
  },
  vite: () => ({ build: { target: 'chrome137', modulePreload: false } }),
})

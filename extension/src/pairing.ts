import { browser } from 'wxt/browser'
import { createProduct, ProductError } from './product.ts'
import { changedPart, changeState, readState } from './state.ts'

/** Trades a code for a token of our own. @throws ProductError */
export async function pairWith(origin: string, code: string): Promise<void> {
  const { version } = browser.runtime.getManifest()
  const paired = await createProduct({ origin }).pair(code, version)
  await unpair()
  await changeState({ pairing: { origin, ...paired }, remote: null })
  await report()
}

/** Forgets the pairing here, and ends it there where that can be had. */
export async function unpair(): Promise<void> {
  const { pairing } = await readState()
  await forgetPairing()
  if (pairing) await createProduct(pairing).unpair().catch(console.warn)
}

export async function forgetPairing(): Promise<void> {
  await changeState({ pairing: null, remote: null, sendsInBackground: false })
}

/** Says how we are, and keeps what the product answers for the popup. A pairing that was ended there is forgotten. */
export async function report(): Promise<void> {
  const state = await readState()
  const { pairing, paused, sendsInBackground, account } = state
  if (!pairing) return
  const { version } = browser.runtime.getManifest()
  try {
    const remote = await createProduct(pairing).report({
      version,
      signedInAs: account?.handle ?? null,
      paused,
      pageChanged: changedPart(state),
      sendsInBackground,
    })
    await changeState({ remote })
  } catch (error) {
    if (!(error instanceof ProductError)) throw error
    if (error.status === 401) await forgetPairing()
  }
}

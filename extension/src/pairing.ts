import { browser } from 'wxt/browser'
import { createProduct, ProductError } from './product.ts'
import { changedPart, changeState, readState } from './state.ts'

/** Exchanges a pairing code for a token. @throws ProductError */
export async function pairWith(origin: string, code: string): Promise<void> {
  const { version } = browser.runtime.getManifest()
  const paired = await createProduct({ origin }).pair(code, version)
  await unpair()
  await changeState({ pairing: { origin, ...paired }, remote: null })
  await report()
}

/** Deletes the pairing here, and on the server if it can be reached. */
export async function unpair(): Promise<void> {
  const { pairing } = await readState()
  await removePairing()
  if (pairing) await createProduct(pairing).unpair().catch(console.warn)
}

export async function removePairing(): Promise<void> {
  await changeState({ pairing: null, remote: null, sendsInBackground: false })
}

/** Reports the status, and stores the response for the popup. Deletes a pairing that the server has ended. */
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
    if (error.status === 401) await removePairing()
  }
}

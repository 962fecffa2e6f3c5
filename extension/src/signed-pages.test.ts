import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { parsePages, type SignedPages, signedText } from '@x-automated/contract/outreach/extension-pages'
import { expect, test, vi } from 'vitest'
import shipped from '../pages.json'
import pagesKey from '../pages-key.json'
import { createSignedPages, type StoredPages, verifyPages } from './signed-pages.ts'

const maintainers = generateKeyPairSync('ed25519')
const publicKey = Buffer.from(maintainers.publicKey.export({ format: 'jwk' }).x ?? '', 'base64url').toString('base64')
const now = Date.parse('2026-11-28')

/** Creates a document with these fields, signed by the maintainers unless another key is passed. */
function documentOf(over: Partial<SignedPages> = {}, key: KeyObject = maintainers.privateKey): SignedPages {
  const { version, pages, notAfter } = { ...parsePages(shipped), version: 5, notAfter: '2026-12-28', ...over }
  const signature = sign(null, Buffer.from(signedText({ version, notAfter, pages })), key).toString('base64')
  return { version, notAfter, pages, signature }
}

const trust = { publicKey, versions: [2, 5], now }

test('the shipped document is signed by the key that the extension ships', async () => {
  const own = { publicKey: pagesKey.publicKey, versions: [shipped.version], now: Date.parse(shipped.notAfter) - 1 }
  expect(await verifyPages(shipped, own)).toMatchObject({ version: shipped.version })
})

test('accepts a signed document, also with its keys in another order', async () => {
  const document = documentOf()
  const parts = Object.entries(document.pages).reverse()
  const { signature, pages: _, ...rest } = document
  expect(await verifyPages({ signature, pages: Object.fromEntries(parts), ...rest }, trust)).toMatchObject({
    version: 5,
  })
})

test.each<[string, (document: SignedPages) => unknown, string]>([
  ['another key', () => documentOf({}, generateKeyPairSync('ed25519').privateKey), 'signature'],
  [
    'a changed value',
    (document) => ({ ...document, pages: { ...document.pages, composer: ['textarea'] } }),
    'signature',
  ],
  ['a changed version', (document) => ({ ...document, version: 6 }), 'signature'],
  ['a later end', (document) => ({ ...document, notAfter: '2030-01-01' }), 'signature'],
  ['no signature', (document) => ({ ...document, signature: '' }), 'signature'],
  ['a signature that is not base64', (document) => ({ ...document, signature: '%' }), ''],
  ['a lower version than the last one', () => documentOf({ version: 4 }), 'older'],
  ['an end that has passed', () => documentOf({ notAfter: '2026-11-27' }), 'valid until'],
  [
    'an unknown part',
    () => documentOf({ pages: { ...documentOf().pages, script: ['a'] } as never }),
    'script is not a known',
  ],
  ['no document', () => null, 'version'],
])('refuses a document with %s', async (_what, change, problem) => {
  await expect(verifyPages(change(documentOf()), trust)).rejects.toThrow(problem)
})

/** Creates an extension that ships version 2, and a product that returns `responses` in turn. */
function open(responses: unknown[]) {
  let stored: StoredPages | null = null
  let time = now
  const fetchDocument = vi.fn(async () => {
    const response = responses.shift()
    if (response instanceof Error) throw response
    return response
  })
  vi.spyOn(console, 'warn').mockImplementation(() => {})
  const store = {
    read: async () => stored,
    write: async (next: StoredPages) => {
      stored = next
    },
  }
  const pages = createSignedPages({ shippedVersion: 2, publicKey, store, fetch: fetchDocument, now: () => time })
  return {
    pages,
    asked: fetchDocument,
    stored: () => stored,
    store: (next: StoredPages) => {
      stored = next
    },
    wait: (hours: number) => {
      time += hours * 3_600_000
    },
  }
}

const withComposer = (composer: string, over: Partial<SignedPages> = {}) =>
  documentOf({ pages: { ...documentOf().pages, composer: [composer] }, ...over })

test('asks the product once a day, and hourly while a part of a page is missing', async () => {
  const { pages, asked: fetchDocument, wait } = open([documentOf(), documentOf(), documentOf(), documentOf()])
  expect(await pages.read()).toBeNull()
  await pages.refresh()
  await pages.refresh()
  expect(fetchDocument).toHaveBeenCalledTimes(1)
  wait(2)
  await pages.refresh()
  expect(fetchDocument).toHaveBeenCalledTimes(1)
  await pages.refresh({ isPartMissing: true })
  expect(fetchDocument).toHaveBeenCalledTimes(2)
  await pages.refresh({ isForced: true })
  wait(25)
  await pages.refresh()
  expect(fetchDocument).toHaveBeenCalledTimes(4)
})

test('asks again if the product did not answer', async () => {
  const { pages, asked: fetchDocument } = open([new Error('unreachable'), documentOf()])
  await pages.refresh()
  await pages.refresh()
  expect(fetchDocument).toHaveBeenCalledTimes(2)
  expect(await pages.read()).not.toBeNull()
})

test('keeps the newest document, and never returns to an older one', async () => {
  const { pages, wait } = open([withComposer('#new', { version: 7 }), withComposer('#old', { version: 6 }), null])
  await pages.refresh()
  for (const _ of ['older', 'nothing']) {
    wait(25)
    await pages.refresh()
    expect((await pages.read())?.composer).toEqual(['#new'])
  }
})

test('verifies the stored document before each use', async () => {
  const { pages, store, stored, wait } = open([documentOf()])
  await pages.refresh()
  expect(await pages.read()).not.toBeNull()
  const good = stored() as StoredPages
  store({ ...good, document: withComposer('#evil', {}).pages && { ...documentOf(), pages: { composer: ['#evil'] } } })
  expect(await pages.read()).toBeNull()
  store(good)
  wait(24 * 40)
  expect(await pages.read()).toBeNull()
})

import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { EXTENSION_ID, type ExtensionRequest } from '@x-automated/contract/outreach/extension'
import type { SignedPages } from '@x-automated/contract/outreach/extension-pages'
import { openExtensionPackage } from '@x-automated/server/src/edges/extension-package.ts'
import { watch } from '@x-automated/server/test/opened.ts'
import { unpack } from '@x-automated/server/test/unpack.ts'
import { startX, type X } from '@x-automated/stand-ins/x'
import { type BrowserContext, chromium, type Page } from 'playwright-core'
import { inject } from 'vitest'
import shipped from '../extension/pages.json' with { type: 'json' }
import pagesKey from '../extension/pages-key.json' with { type: 'json' }
import { buildIfStale } from '../tools/build.ts'
import { publicKeyOf, signPages } from '../tools/sign-pages.ts'
import { selfSigned } from './certificate.ts'
import type { World } from './world.ts'

const BUILD = join(import.meta.dirname, '..', 'extension', '.output', 'chrome-mv3')

/** A browser with the built extension, in which x.com is the stand-in X. */
export interface ExtensionWorld {
  x: X
  context: BrowserContext
  /** A page on the product's origin. */
  product: Page
  /** A page on another origin. */
  foreign: Page
  /** The popup, opened as a page. */
  popup: Page
  /** Sends a request to the extension from a page. Returns `lost` if the extension is unreachable or does not reply. */
  ask(page: Page, request: ExtensionRequest | unknown): Promise<Reply>
  /** Logs in to x.com on a page that stays open. */
  signInToX(handle: string): Promise<Page>
  signOutOfX(): Promise<void>
  /** Sets the markup of X's pages (stand-ins/README.md), and how their composer accepts text. */
  wear(markup: string, typing?: 'any' | 'command' | 'paste' | 'setter'): Promise<void>
  /**
   * Serves these selectors for X's pages to the extension, signed with a key that it trusts. Only
   * without a product.
   */
  servePages(pages: Pages): void
  faults(faults: unknown[]): Promise<void>
}

type Pages = SignedPages['pages']

type Reply = { success?: boolean; error?: string; code?: string; status?: unknown; lost?: string }

/** Opens a world until the end of the test file. @param world the extension's product; by default an empty page */
export async function openExtensionWorld(world?: World): Promise<ExtensionWorld> {
  await buildIfStale('extension', () => {})
  let served: SignedPages | null = null
  const [x, product, foreign] = await Promise.all([
    world?.x ?? startX({ tls: selfSigned('x.com'), answerAfterMs: 60_000 }),
    world ? { origin: world.origin, close: async () => {} } : serveEmptyPage(() => served),
    serveEmptyPage(),
  ])
  const folder = mkdtempSync(join(tmpdir(), 'x-automated-extension-'))
  const unpacked = await unpackFor(product.origin, join(folder, 'extension'), world)
  const { privateKey } = generateKeyPairSync('ed25519')
  if (!world) trustKey(unpacked, publicKeyOf(privateKey))
  let latest: SignedPages = shipped
  const context = await chromium.launchPersistentContext(join(folder, 'profile'), {
    executablePath: inject('browserPath'),
    // Playwright's headless flag starts the old headless mode, which has no extensions.
    headless: false,
    baseURL: product.origin,
    viewport: { width: 1280, height: 900 },
    reducedMotion: 'reduce',
    ignoreDefaultArgs: ['--disable-extensions'],
    args: [
      '--headless=new',
      '--no-sandbox',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      `--disable-extensions-except=${unpacked}`,
      `--load-extension=${unpacked}`,
      `--host-resolver-rules=MAP x.com 127.0.0.1:${x.tlsPort}`,
      '--ignore-certificate-errors',
    ],
  })
  watch({
    check() {},
    async close() {
      await context.close()
      await Promise.all([world ? null : x.close(), product.close(), foreign.close()])
      rmSync(folder, { recursive: true, force: true })
    },
  })

  const open = async (url: string) => {
    const page = await context.newPage()
    await page.goto(url)
    return page
  }
  const put = async (path: string, body: unknown) => {
    const response = await fetch(x.url + path, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    if (!response.ok) throw new Error(await response.text())
  }

  return {
    x,
    context,
    product: await open(product.origin),
    foreign: await open(foreign.origin),
    popup: await open(`chrome-extension://${EXTENSION_ID}/popup.html`),
    ask: (page, request) => page.evaluate(askExtension, { id: EXTENSION_ID, request }),
    async signInToX(handle) {
      const page = await open('https://x.com/i/flow/login')
      await page.getByLabel('Username').fill(handle)
      await page.getByLabel('Password').fill('long enough')
      await page.getByRole('button', { name: 'Log in' }).click()
      await page.getByTestId('SideNav_AccountSwitcher_Button').waitFor()
      return page
    },
    async signOutOfX() {
      const page = await open('https://x.com/home')
      await page.getByTestId('logout').click()
      await page.waitForURL('**/i/flow/login')
      await page.close()
    },
    wear: (markup, typing = 'any') => put('/_pages', { markup, typing }),
    servePages(pages) {
      latest = signPages({ ...latest, pages }, privateKey, Date.now())
      served = latest
    },
    faults: (faults) => put('/_faults', faults),
  }
}

function askExtension({ id, request }: { id: string; request: unknown }): Promise<Reply> {
  type Runtime = {
    lastError?: { message?: string }
    sendMessage(id: string, request: unknown, reply: (value: unknown) => void): void
  }
  const { runtime } = (globalThis as unknown as { chrome?: { runtime?: Runtime } }).chrome ?? {}
  if (!runtime?.sendMessage) return Promise.resolve({ lost: 'no extension accepts this page' })
  return new Promise((resolve) => {
    runtime.sendMessage(id, request, (reply) =>
      resolve((reply as Reply | undefined) ?? { lost: runtime.lastError?.message ?? 'no reply' }),
    )
  })
}

/** Replaces the maintainers' public key in a built extension. */
function trustKey(folder: string, publicKey: string): void {
  const file = join(folder, 'background.js')
  const built = readFileSync(file, 'utf8')
  if (!built.includes(pagesKey.publicKey)) throw new Error('the extension was built without a public key')
  writeFileSync(
    file,
    built.replace(pagesKey.publicKey, () => publicKey),
  )
}

/** Serves an empty page instead of the product. @param served returns the selectors for X's pages */
async function serveEmptyPage(served: () => unknown = () => null) {
  const server = createServer((request, reply) => {
    if (request.url === '/api/extension/pages') {
      reply.setHeader('content-type', 'application/json')
      return reply.end(JSON.stringify(served()))
    }
    reply.setHeader('content-type', 'text/html; charset=utf-8')
    reply.end('<!doctype html><html lang="en"><title>A page</title><link rel="icon" href="data:,">')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    origin: `http://localhost:${(server.address() as AddressInfo).port}`,
    async close() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}

/** Unpacks the extension that the product serves or, without a product, the built one. @returns its folder */
async function unpackFor(origin: string, folder: string, world?: World): Promise<string> {
  const zip = world
    ? Buffer.from(await (await fetch(`${origin}/extension.zip`)).arrayBuffer())
    : openExtensionPackage(BUILD, origin)?.zip()
  if (!zip) throw new Error('the extension was not built')
  const [top] = unpack(zip, folder)
  return join(folder, top ?? '')
}

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { connectableMatches } from '@x-automated/contract/outreach/extension'
import { parsePages, type SignedPages } from '@x-automated/contract/outreach/extension-pages'
import type { FastifyBaseLogger, FastifyInstance } from 'fastify'
import { zipSync } from 'fflate'
import { Refusal } from '../refusal.ts'

/** The built browser extension, adapted to this server. */
export interface ExtensionPackage {
  version: string
  /** The ZIP for /extension.zip, created on first use: one folder, to load unpacked. */
  zip(): Buffer
}

const FOLDER = 'x-automated-extension'

/**
 * Opens the built extension; null if it is not built. @param folder extension/.output/chrome-mv3
 * @param origin the product's, the only one that may exchange messages with the extension
 */
export function openExtensionPackage(folder: string, origin: string): ExtensionPackage | null {
  const manifestFile = join(folder, 'manifest.json')
  if (!existsSync(manifestFile)) return null
  const manifest = manifestFor(JSON.parse(readFileSync(manifestFile, 'utf8')) as Manifest, origin)
  let zip: Buffer | null = null
  return {
    version: manifest.version,
    zip() {
      zip ??= pack(folder, manifest)
      return zip
    },
  }
}

/** The signed selectors for X's pages; null if the file is missing or malformed. @param file extension/pages.json */
export function openExtensionPages(file: string, log: FastifyBaseLogger): SignedPages | null {
  if (!existsSync(file)) return null
  try {
    return parsePages(JSON.parse(readFileSync(file, 'utf8')))
  } catch (error) {
    log.warn({ err: error }, 'extension/pages.json is malformed and is not served')
    return null
  }
}

interface Manifest {
  version: string
  [field: string]: unknown
}

/** Restricts the manifest to this origin. */
function manifestFor(manifest: Manifest, origin: string): Manifest {
  const matches = connectableMatches(origin)
  return { ...manifest, externally_connectable: { matches }, host_permissions: matches }
}

function pack(folder: string, manifest: Manifest): Buffer {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  const entries = files.map((entry) => {
    const path = join(entry.parentPath, entry.name)
    const name = path.slice(folder.length + 1).replaceAll('\\', '/')
    const bytes = name === 'manifest.json' ? Buffer.from(JSON.stringify(manifest, null, 2)) : readFileSync(path)
    return [`${FOLDER}/${name}`, bytes] as const
  })
  return Buffer.from(zipSync(Object.fromEntries(entries)))
}

/** GET /extension.zip, and the same under /api, where the API document lists it. */
export function serveExtension(app: FastifyInstance, extension: ExtensionPackage | null): void {
  for (const url of ['/extension.zip', '/api/extension.zip'])
    app.get(url, { exposeHeadRoute: false }, async (_request, reply) => {
      if (!extension) throw new Refusal('NOT_FOUND', 'This server has no build of the extension.')
      return reply
        .type('application/zip')
        .header('content-disposition', `attachment; filename="x-automated-extension-${extension.version}.zip"`)
        .header('cache-control', 'no-cache')
        .send(extension.zip())
    })
}

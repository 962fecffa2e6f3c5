import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { unzipSync } from 'fflate'

/** Unpacks a ZIP file. @returns its top-level names */
export function unpack(zip: Uint8Array, folder: string): string[] {
  const files = Object.entries(unzipSync(zip))
  for (const [name, bytes] of files) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), bytes)
  }
  return [...new Set(files.map(([name]) => name.split('/')[0] ?? ''))]
}

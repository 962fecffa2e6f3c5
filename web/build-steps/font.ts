import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The characters that public pages use; app/ui/font.css names the same. */
const CHARACTERS = `${String.fromCharCode(...Array.from({ length: 95 }, (_, key) => 32 + key))}\u00a0©·×á–—‘’“”•…`
/** The weights of app/ui/tokens.css. */
const WEIGHTS = { min: 400, max: 600 }

/**
 * Writes the part of Inter that public pages need, less than half of its Latin file, for their
 * first paint. @returns its folder
 */
export async function writeFont(): Promise<string> {
  // Here, because tests import the configuration, too: it takes a while to load.
  const { default: subset } = await import('subset-font')
  const source = createRequire(import.meta.url).resolve(
    '@fontsource-variable/inter/files/inter-latin-wght-normal.woff2',
  )
  const options = { targetFormat: 'woff2' as const, variationAxes: { wght: WEIGHTS } }
  const folder = fileURLToPath(new URL('../node_modules/.cache', import.meta.url))
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'inter-english.woff2'), await subset(await readFile(source), CHARACTERS, options))
  return folder
}

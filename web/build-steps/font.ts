import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The characters on public pages. app/ui/font.css lists the same. */
const CHARACTERS = `${String.fromCharCode(...Array.from({ length: 95 }, (_, key) => 32 + key))}\u00a0©·×á–—‘’“”•…`
/** The weights in app/ui/tokens.css. */
const WEIGHTS = { min: 400, max: 600 }

/**
 * Writes the part of Inter that public pages need for their first paint, less than half of its
 * Latin file.
 * @returns its folder
 */
export async function writeFont(): Promise<string> {
  // Imported late, because it takes a while to load and tests import the configuration, too.
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

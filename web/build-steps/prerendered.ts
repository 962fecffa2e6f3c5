import { glob, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

const PRELOAD = '<link rel="modulepreload" '

/**
 * Lets the words of prerendered pages come first: their scripts are fetched when style and font are, not beside them.
 * Signed-in pages show nothing without theirs, and keep the order that they have.
 * @param folder build/client
 */
export async function letWordsComeFirst(folder: string): Promise<void> {
  for await (const file of glob('**/index.html', { cwd: folder })) {
    const path = join(folder, file)
    const html = await readFile(path, 'utf8')
    await writeFile(path, html.replaceAll(PRELOAD, `${PRELOAD}fetchpriority="low" `))
  }
}

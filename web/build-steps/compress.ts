import { glob, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

const brotli = promisify(brotliCompress)
const zip = promisify(gzip)

/** Smaller files fit into one packet without compression. */
const WORTH_BYTES = 1_024

/**
 * Writes a .br and a .gz file next to each text file, which the server sends as they are.
 * @param folder build/client
 */
export async function compressFiles(folder: string): Promise<void> {
  const files: string[] = []
  for await (const file of glob('**/*.{js,css,svg,json,webmanifest}', { cwd: folder })) files.push(file)
  await Promise.all(
    files.map(async (file) => {
      const path = join(folder, file)
      const text = await readFile(path)
      if (text.length < WORTH_BYTES) return
      const options = {
        params: {
          [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
          [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
          [constants.BROTLI_PARAM_SIZE_HINT]: text.length,
        },
      }
      await writeFile(`${path}.br`, await brotli(text, options))
      await writeFile(`${path}.gz`, await zip(text, { level: constants.Z_BEST_COMPRESSION }))
    }),
  )
}

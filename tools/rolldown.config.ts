import { basename, join, relative } from 'node:path'

// Bundles a workspace's programs with their packages into its folder `build`. Without comments and
// unused code, programs start faster and need less memory. Rolldown is Vite's bundler.

const programs: Record<string, Record<string, string>> = {
  server: {
    main: 'src/main.ts',
    'csv-thread': 'src/edges/csv-thread.ts',
    'run-server': '../dev-env/run-server.ts',
    // For deployments, which have only these bundles.
    backup: '../dev-env/backup.ts',
    restore: '../dev-env/restore.ts',
  },
  'stand-ins': { main: 'src/main.ts' },
}
const folder = process.cwd()
const output = join(folder, 'build')

export default {
  input: programs[basename(folder)],
  platform: 'node',
  // Removes code for development and tests. The server's env.ts reads NODE_ENV in another way.
  transform: { define: { 'process.env.NODE_ENV': '"production"' } },
  // A native module that locates its own files.
  external: ['@napi-rs/canvas'],
  plugins: [
    {
      name: 'keep-source-urls',
      // Modules locate files (migrations, pages) by their own URL. The code of a worker thread is
      // bundled.
      transform(code: string, id: string) {
        if (!code.includes('import.meta.url')) return null
        const source = `new URL('${relative(output, id)}', import.meta.url).href`
        return code.replaceAll(/new URL\('\.\/([\w-]+)\.ts', import\.meta\.url\)|import\.meta\.url/g, (_, thread) =>
          thread ? `new URL('./${thread}.js', import.meta.url)` : source,
        )
      },
    },
  ],
  output: {
    dir: output,
    cleanDir: true,
    comments: false,
    // Keeps lines and names, so that stack traces are readable. V8 stores ASCII in half the memory.
    minify: { compress: false, mangle: false, codegen: { removeWhitespace: false, asciiOnly: true } },
  },
}

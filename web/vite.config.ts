import { reactRouter } from '@react-router/dev/vite'
import tailwindcss from '@tailwindcss/vite'
import { defineConfig, type Plugin } from 'vite'
import { contractRoutes } from './build-steps/contract-routes.ts'
import { cssTarget, embedInDevelopment } from './build-steps/embed.ts'
import { writeFont } from './build-steps/font.ts'

/** The API in development; `npm run dev` starts both. */
const apiOrigin = process.env.API_ORIGIN ?? 'http://127.0.0.1:3000'

/** React Router waits ten seconds for its first page, which is too short if it must also import the build. */
const importBeforePrerendering: Plugin = {
  name: 'import-before-prerendering',
  configurePreviewServer: async () => void (await import(new URL('build/server/index.js', import.meta.url).href)),
}

export default defineConfig({
  plugins: [
    contractRoutes(),
    embedInDevelopment(),
    importBeforePrerendering,
    tailwindcss(),
    process.env.VITEST ? null : reactRouter(),
  ],
  resolve: process.env.VITEST ? {} : { alias: { '@fonts': await writeFont() } },
  build: {
    cssTarget,
    // The content security policy forbids data: URLs.
    assetsInlineLimit: 0,
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            // In a chunk of its own: evaluating it together with the app would block the main
            // thread longer.
            { name: 'react-dom', test: /node_modules[\\/](react-dom|scheduler)[\\/]/ },
            // Otherwise, each icon that several pages share would be a request of a few hundred
            // bytes.
            { name: 'icons', test: /node_modules[\\/]lucide-react[\\/]/, minShareCount: 3 },
            // Code that nearly every page needs, in one request. It is 6 KB smaller than a chunk
            // per module.
            { name: 'shared', test: /web[\\/]app[\\/]|contract[\\/]src/, minShareCount: 30 },
          ],
        },
      },
    },
  },
  // The startup script is the source of a function in this build, so minify it.
  environments: { ssr: { build: { minify: true } } },
  // Otherwise Vite discovers packages page by page, and a page that loads in the meantime gets two copies of React.
  optimizeDeps: { entries: ['app/**/*.{ts,tsx}', '!app/**/*.test.{ts,tsx}'] },
  server: { proxy: { '/api': apiOrigin, '/buy': apiOrigin } },
})

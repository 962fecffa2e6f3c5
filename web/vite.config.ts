import { reactRouter } from '@react-router/dev/vite'
import tailwindcss from '@tailwindcss/vite'
import { defineConfig } from 'vitest/config'
import { contractRoutes } from './build-steps/contract-routes.ts'
import { cssTarget, embedInDevelopment } from './build-steps/embed.ts'

/** The API in development; `npm run dev` starts both. */
const apiOrigin = process.env.API_ORIGIN ?? 'http://127.0.0.1:3000'

export default defineConfig({
  plugins: [contractRoutes(), embedInDevelopment(), tailwindcss(), process.env.VITEST ? null : reactRouter()],
  build: {
    cssTarget,
    // The content security policy doesn't allow data: URLs.
    assetsInlineLimit: 0,
    // React DOM in its own chunk: evaluating it together with the app would block the main thread
    // longer.
    rolldownOptions: {
      output: {
        codeSplitting: { groups: [{ name: 'react-dom', test: /node_modules[\\/](react-dom|scheduler)[\\/]/ }] },
      },
    },
  },
  server: { proxy: { '/api': apiOrigin, '/buy': apiOrigin } },
  test: { include: ['{app,embed}/**/*.test.ts', 'app/**/*.test.tsx'] },
})

import { reactRouter } from '@react-router/dev/vite'
import tailwindcss from '@tailwindcss/vite'
import { defineConfig } from 'vitest/config'
import { contractRoutes } from './build-steps/contract-routes.ts'
import { cssTarget, embedInDevelopment } from './build-steps/embed.ts'

/** In development the API is expected here; `npm run dev` starts both. */
const apiOrigin = process.env.API_ORIGIN ?? 'http://127.0.0.1:3000'

export default defineConfig({
  plugins: [contractRoutes(), embedInDevelopment(), tailwindcss(), process.env.VITEST ? null : reactRouter()],
  build: {
    cssTarget,
    // Inlined data: URLs would need their own permission in the content security policy.
    assetsInlineLimit: 0,
    // React's own part comes in a script of its own, so that pages which start one after the other are not held up by it in one piece.
    rolldownOptions: {
      output: {
        codeSplitting: { groups: [{ name: 'react-dom', test: /node_modules[\\/](react-dom|scheduler)[\\/]/ }] },
      },
    },
  },
  server: { proxy: { '/api': apiOrigin, '/buy': apiOrigin } },
  test: { include: ['{app,embed}/**/*.test.ts', 'app/**/*.test.tsx'] },
})

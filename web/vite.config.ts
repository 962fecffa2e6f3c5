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
  },
  server: { proxy: { '/api': apiOrigin, '/buy': apiOrigin } },
  test: { include: ['{app,embed}/**/*.test.ts', 'app/**/*.test.tsx'] },
})

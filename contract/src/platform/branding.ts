import { z } from 'zod'
import { routes } from '../route.ts'
import { LOGO_TOO_LARGE, LOGO_URL_MAX } from './branding-limits.ts'

const route = routes('Branding')

/** A workspace's logo and color in client reports. */
export const Branding = z.object({
  /** A data URL of a PNG, JPEG or WebP image. */
  logo: z.string().nullable(),
  /** Such as '#1a2b3c'. */
  color: z.string().nullable(),
})
export type Branding = z.output<typeof Branding>

export const branding = {
  find: route('GET /workspace/branding', 'viewer', 'none', {
    summary: "Get the workspace's logo and color",
    description: 'Client reports show them.',
  }).output(Branding),

  save: route('PUT /workspace/branding', 'admin', 'rows', {
    summary: "Set or remove the workspace's logo and color",
    description: 'Part of the Agency plan.',
    errors: ['PLAN_LIMIT'],
  })
    .input(
      z.strictObject({
        logo: z.string().max(LOGO_URL_MAX, LOGO_TOO_LARGE).nullable(),
        color: z
          .string()
          .toLowerCase()
          .regex(/^#[0-9a-f]{6}$/, 'must be a color such as #1a2b3c')
          .nullable(),
      }),
    )
    .output(Branding),
}

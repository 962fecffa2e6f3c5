import { useState } from 'react'
import { CopyButton } from '../../../ui/copy-button'
import { Dialog } from '../../../ui/dialog'
import { Field } from '../../../ui/field'
import { Textarea } from '../../../ui/input'
import { Select } from '../../../ui/select'
import type { ControlledDialogProps } from '../../../ui/use-dialogs'

const themes = [
  { value: 'auto', label: 'Match the page' },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
] as const

/** Shows the widget's embed snippet with the member's referral code. */
export default function EmbedDialog({ referralCode, ...dialog }: ControlledDialogProps & { referralCode: string }) {
  const [theme, setTheme] = useState<EmbedTheme>('auto')
  const snippet = embedSnippet(location.origin, referralCode, theme)
  const preview = `/embed?${new URLSearchParams({ ref: referralCode, ...(theme === 'auto' ? {} : { theme }) })}`
  return (
    <Dialog
      {...dialog}
      title="Embed on your site"
      description="A small sign-up form with your referral link. Paste this snippet where you want it to appear."
      footer={<CopyButton text={snippet} label="Copy snippet" variant="primary" />}
    >
      <div className="grid gap-4 pt-2">
        <Field label="Colors">
          <Select options={themes} value={theme} onChange={(event) => setTheme(event.target.value as EmbedTheme)} />
        </Field>
        <Field label="Snippet">
          <Textarea
            readOnly
            rows={3}
            spellCheck={false}
            value={snippet}
            onFocus={(event) => event.currentTarget.select()}
            className="font-mono text-xs"
          />
        </Field>
        <p className="text-muted">
          Friends who join there count as your referrals. It sets no cookies and loads only a few kilobytes.{' '}
          <a href={preview} target="_blank" rel="noopener" className="text-link">
            Preview
          </a>
        </p>
      </div>
    </Dialog>
  )
}

type EmbedTheme = 'auto' | 'light' | 'dark'

/** The widget's embed snippet (docs/widget.md). @param origin without a trailing slash */
export function embedSnippet(origin: string, code: string, theme: EmbedTheme): string {
  const attributes = [
    `src="${origin}/embed.js"`,
    'async',
    `data-ref="${code}"`,
    ...(theme === 'auto' ? [] : [`data-theme="${theme}"`]),
  ]
  return `<script ${attributes.join(' ')}></script>`
}

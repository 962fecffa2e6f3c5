import { Code } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../ui/button'
import { CopyButton } from '../../ui/copy-button'
import { Dialog } from '../../ui/dialog'
import { Field } from '../../ui/field'
import { Textarea } from '../../ui/input'
import { Select } from '../../ui/select'
import { type EmbedTheme, embedSnippet } from './embed-snippet'

const themes = [
  { value: 'auto', label: 'Like the page around it' },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
] as const

/** A button that shows what puts the join widget on one's own site, with one's own code in it. */
export function EmbedOnYourSite({ referralCode }: { referralCode: string }) {
  const [open, setOpen] = useState(false)
  const [theme, setTheme] = useState<EmbedTheme>('auto')
  const snippet = embedSnippet(location.origin, referralCode, theme)
  const preview = `/embed?${new URLSearchParams({ ref: referralCode, ...(theme === 'auto' ? {} : { theme }) })}`
  return (
    <>
      <Button size="sm" icon={<Code aria-hidden />} className="w-fit" onClick={() => setOpen(true)}>
        Embed on your site
      </Button>
      <Dialog
        open={open}
        onClose={() => setOpen(false)}
        title="Embed on your site"
        description="A small form that joins the waitlist with your link. Paste this where it should stand."
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
            Friends who join there count as your referrals. It sets no cookie and loads a few kilobytes.{' '}
            <a href={preview} target="_blank" rel="noopener" className="text-link">
              See how it looks
            </a>
          </p>
        </div>
      </Dialog>
    </>
  )
}

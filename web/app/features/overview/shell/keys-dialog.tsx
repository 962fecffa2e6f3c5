import { useState } from 'react'
import { localStorage } from '../../../browser-storage'
import { Switch } from '../../../ui/choice'
import { Dialog, type DialogProps } from '../../../ui/dialog'
import { modKey } from '../../../ui/mod-key'
import { activeKeys, type KeyGroup, LETTER_KEYS, letterKeysAreOn } from '../../../ui/use-keys'
import { useIsOffered } from '../../identity/people/use-role'
import { moreLinks, workLinks } from './navigation'

/** Keyboard shortcuts of the current page and of every page. */
export default function KeysDialog(dialog: Pick<DialogProps, 'open' | 'onClose' | 'returnsTo'>) {
  const hasInbox = useIsOffered('member')
  const links = [...workLinks, ...moreLinks].filter(({ isInbox }) => hasInbox || !isInbox)
  const groups: KeyGroup[] = [
    ...activeKeys(),
    {
      title: 'Every page',
      keys: [
        [`${modKey()}K`, 'Search, or run an action'],
        ['?', 'Keyboard shortcuts'],
      ],
    },
    {
      title: 'Go to',
      keys: links.flatMap(({ key, label }) => (key ? [[`G ${key.toUpperCase()}`, label] as const] : [])),
    },
  ]
  return (
    <Dialog {...dialog} title="Keyboard shortcuts">
      <div className="grid gap-x-10 gap-y-6 sm:grid-cols-2">
        {groups.map(({ title, keys }) => (
          <section key={title} className="grid content-start gap-2">
            <h3 className="font-strong">{title}</h3>
            <dl className="grid grid-cols-[4rem_1fr] gap-y-1.5">
              {keys.map(([key, does]) => (
                <div key={key} className="contents">
                  <dt>
                    <kbd className="rounded-sm bg-pressed px-1.5 py-0.5 font-sans text-xs">{key}</kbd>
                  </dt>
                  <dd className="text-muted">{does}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
      <LetterKeys />
    </Dialog>
  )
}

/** Turns off single-letter shortcuts, which speech input or an accidental touch can trigger. */
function LetterKeys() {
  const [isOn, setOn] = useState(letterKeysAreOn)
  const change = (next: boolean) => {
    setOn(next)
    if (next) localStorage.removeItem(LETTER_KEYS)
    else localStorage.setItem(LETTER_KEYS, 'off')
  }
  return (
    <Switch
      className="mt-6"
      label="Single-key shortcuts"
      hint={`When off, single keys do nothing outside of text fields in this browser. ${modKey()}K still works.`}
      checked={isOn}
      onChange={(event) => change(event.currentTarget.checked)}
    />
  )
}

import { useState } from 'react'
import { localStorage } from '../../../browser-storage'
import { Switch } from '../../../ui/choice'
import { Dialog, type DialogProps } from '../../../ui/dialog'
import { modKey } from '../../../ui/mod-key'
import { activeKeys, type KeyGroup, LETTER_KEYS } from '../../../ui/use-keys'
import { useIsOffered } from '../../identity/people/use-role'
import { SUGGESTED_ANSWERS } from '../../outreach/writer/early-suggestions'
import { useModel } from '../../outreach/writer/use-model'
import { moreLinks, workLinks } from './navigation'

/** Keyboard shortcuts of the current page and of every page. */
export default function KeysDialog(dialog: Pick<DialogProps, 'open' | 'onClose' | 'returnsTo'>) {
  const hasInbox = useIsOffered('member')
  const hasModel = Boolean(useModel())
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
      <div className="mt-6 grid gap-4">
        {/* Speech input or an accidental touch can trigger single keys. */}
        <BrowserSwitch
          storageKey={LETTER_KEYS}
          label="Single-key shortcuts"
          hint={`When off, single keys do nothing outside of text fields in this browser. ${modKey()}K still works.`}
        />
        {hasModel && (
          <BrowserSwitch
            storageKey={SUGGESTED_ANSWERS}
            label="Suggested answers"
            hint="When off, the inbox suggests an answer in this browser only if you ask for one."
          />
        )}
      </div>
    </Dialog>
  )
}

interface BrowserSwitchProps {
  /** Key in local storage: 'off' turns it off in this browser. */
  storageKey: string
  label: string
  hint: string
}

function BrowserSwitch({ storageKey, label, hint }: BrowserSwitchProps) {
  const [isOn, setOn] = useState(() => localStorage.getItem(storageKey) !== 'off')
  const change = (next: boolean) => {
    setOn(next)
    if (next) localStorage.removeItem(storageKey)
    else localStorage.setItem(storageKey, 'off')
  }
  return <Switch label={label} hint={hint} checked={isOn} onChange={(event) => change(event.currentTarget.checked)} />
}

import { lazy, Suspense, useEffect, useState } from 'react'
import { loadOnDemand } from '../../../ui/load-on-demand'
import { isModPressed } from '../../../ui/mod-key'
import { type Keys, useKeys } from '../../../ui/use-keys'
import { moreLinks, workLinks } from './navigation'
import { useOpenPage } from './use-offline-links'

const loadPalette = () => import('../palette/palette')
const Palette = lazy(loadPalette)
const loadKeys = () => import('./keys-dialog')
const KeysDialog = lazy(loadKeys)

export type FrameDialog = 'palette' | 'keys'

/** Dialogs of every signed-in page: search and keyboard shortcuts. Also handles the shortcuts themselves. */
export function FrameDialogs({
  openDialog,
  onShow,
}: {
  openDialog: FrameDialog | null
  onShow: (dialog: FrameDialog | null) => void
}) {
  const openPage = useOpenPage()
  const [loaded, setLoaded] = useState<FrameDialog | null>(null)
  // A dialog stays mounted once it has been opened, so that it closes smoothly.
  if (openDialog && openDialog !== loaded) setLoaded(openDialog)
  const close = () => onShow(null)
  const pages: Keys = Object.fromEntries(
    [...workLinks, ...moreLinks].flatMap(({ key, to, tab }) =>
      key ? [[`g ${key}`, () => openPage(tab ? `${to}?tab=${tab}` : to)]] : [],
    ),
  )
  const show = async (dialog: FrameDialog) => {
    const isLoaded = dialog === 'palette' ? prepareSearch() : loadOnDemand(loadKeys, 'The keyboard shortcuts')
    if (await isLoaded) onShow(dialog)
  }
  useKeys({ ...pages, '?': () => void show('keys') })
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !isModPressed(event) || event.shiftKey || event.altKey) return
      const isOverPopup = document.querySelector(':is([role=dialog], [role=alertdialog]):not([data-closed])') !== null
      if (isOverPopup && openDialog !== 'palette') return
      event.preventDefault()
      if (openDialog === 'palette') onShow(null)
      else void prepareSearch().then((isLoaded) => isLoaded && onShow('palette'))
    }
    document.addEventListener('keydown', listen)
    return () => document.removeEventListener('keydown', listen)
  }, [openDialog, onShow])
  return (
    <Suspense>
      {loaded === 'palette' && (
        <Palette open={openDialog === 'palette'} onClose={close} onShowKeys={() => void show('keys')} />
      )}
      {loaded === 'keys' && <KeysDialog open={openDialog === 'keys'} onClose={close} />}
    </Suspense>
  )
}

/** Loads the search. This may fail without a connection. */
export function prepareSearch(): Promise<boolean> {
  return loadOnDemand(loadPalette, 'Search')
}

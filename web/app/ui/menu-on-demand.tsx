import { type ComponentProps, type ComponentType, cloneElement, type ReactElement, useState } from 'react'
import { loadOnDemand } from './load-on-demand'

type LoadedMenu = ComponentType<{ trigger: ReactElement }>

interface MenuOnDemandProps {
  /** The menu's module. It must mount open. */
  load: () => Promise<{ default: LoadedMenu }>
  trigger: ReactElement<ComponentProps<'button'>>
}

/** A button whose menu loads when the button is first hovered, focused or pressed. */
export function MenuOnDemand({ load, trigger }: MenuOnDemandProps) {
  const [Loaded, setLoaded] = useState<LoadedMenu | null>(null)
  if (Loaded) return <Loaded trigger={trigger} />
  const prepare = () => void load().catch(() => {})
  const open = async () => {
    if (!(await loadOnDemand(load, 'The menu'))) return
    const { default: menu } = await load()
    setLoaded(() => menu)
  }
  return cloneElement(trigger, {
    'aria-haspopup': 'menu',
    'aria-expanded': false,
    onPointerEnter: prepare,
    onFocus: prepare,
    onClick: open,
    onKeyDown: ({ key }) => void (key === 'ArrowDown' && open()),
  })
}

import { Monitor, Moon, Sun } from 'lucide-react'
import { useEffect } from 'react'

const themes = [
  { value: 'system', label: 'System theme', icon: Monitor },
  { value: 'light', label: 'Light theme', icon: Sun },
  { value: 'dark', label: 'Dark theme', icon: Moon },
]

/** Selects system, light or dark. features/overview/shell/startup-script.ts stores and applies it. */
export function ThemeSwitch() {
  // The footer returns after pages without it.
  useEffect(() => {
    const theme = document.documentElement.dataset.theme ?? 'system'
    document.querySelector<HTMLInputElement>(`input[name=theme][value=${theme}]`)?.click()
  }, [])
  return (
    <fieldset className="flex w-fit gap-0.5 rounded-full border border-line p-0.5 noscript:hidden">
      <legend className="sr-only">Color theme</legend>
      {themes.map(({ value, label, icon: Icon }) => (
        <label
          key={value}
          title={label}
          className="relative flex size-7 items-center justify-center rounded-full text-muted transition-colors hover:text-ink has-checked:bg-pressed has-checked:text-ink has-focus-visible:outline-2 has-focus-visible:outline-accent-line pointer-coarse:size-10"
        >
          <input
            type="radio"
            name="theme"
            value={value}
            defaultChecked={value === 'system'}
            className="absolute inset-0 cursor-pointer appearance-none rounded-full outline-none"
          />
          <Icon aria-hidden className="size-3.5" />
          <span className="sr-only">{label}</span>
        </label>
      ))}
    </fieldset>
  )
}

import { CopyButton } from '../../../ui/copy-button'

/** The steps from the download to the first pairing. @param available whether there is a build to download */
export function InstallSteps({ available }: { available: boolean }) {
  if (!available)
    return (
      // Reserves height, so that the content below moves less.
      <p className="min-h-28 text-muted">This server has no build of the extension to download.</p>
    )
  return (
    <ol className="grid list-decimal gap-3 pl-5">
      <li>
        <a href="/extension.zip" download className="text-link">
          Download the extension
        </a>{' '}
        and unzip it. Keep the folder: the browser runs the extension from there.
      </li>
      <li>
        <span className="flex flex-wrap items-center gap-2">
          Open <code className="rounded-sm bg-sunken px-1.5 font-mono text-sm">chrome://extensions</code>
          <CopyButton size="sm" text="chrome://extensions" label="Copy address" />
        </span>
      </li>
      <li>Turn on “Developer mode” in the top right.</li>
      <li>
        Click “Load unpacked” and choose the folder <span className="font-mono text-sm">x-automated-extension</span>.
      </li>
      <li>
        Come back to this page and click “Pair this browser”. Make sure you're logged in to X in the same browser.
      </li>
    </ol>
  )
}
